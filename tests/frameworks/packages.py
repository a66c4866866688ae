"""Packages as installers name them: `name==1.0`, `name[extra]==1.0`, `@scope/name@1.0`."""


def read_name(package: str) -> str:
    """The name alone."""
    return drop_version(package).partition("[")[0]


def drop_version(package: str) -> str:
    """It in any version."""
    name, pinned, _ = package.partition("==")
    return name if pinned else package.rpartition("@")[0] or package


def raise_version(package: str) -> str:
    """The newest release of it, and none that is older.

    Where two of PyPI do not fit each other, an installer would go back as far as it takes.
    """
    return package.replace("==", ">=") if "==" in package else drop_version(package)


def keep_major(package: str) -> str:
    """The newest release of its major version, of npm."""
    name, _, version = package.rpartition("@")
    return f"{name}@^{version}"
