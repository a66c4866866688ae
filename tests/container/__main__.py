"""`python -m tests.container`: unpack an engine, build the image, and leave both to the tests."""

from tests.container.conftest import build_image, start_engine

if __name__ == "__main__":
    with start_engine() as engine:
        build_image(engine)
