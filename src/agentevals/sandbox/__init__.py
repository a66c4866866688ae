"""Running programs that we did not write: isolated, limited, with an environment of their own."""
