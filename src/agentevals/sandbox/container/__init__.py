"""Third-party programs in a container of Docker or Podman: `executor: docker`."""
