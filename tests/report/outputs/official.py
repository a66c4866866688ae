"""Schemas that others publish, and that our files are held against."""

import json

from tests import npm

# the package, and where the schema lies in it
PACKAGES = {
    "sarif": (
        npm.Package(
            "@microsoft/jest-sarif@1.0.0-beta.0",
            "A1fOhPd6Ic5iDk4F9YPw1qNB4XF+7+IviR7xl8r2F6QzQkx5cpY9LsGk2rExiFIEcBbjpVnSmwWGBukASkiQ9A==",
        ),
        "package/lib/schemas/sarif-2.1.0-rtm.5.json",
    ),
    "ctrf": (
        npm.Package(
            "ctrf@0.3.0",
            "2luVgKCF/A/pgMKY54AUdicCNbU+Hy3Bl+xwcp98inASt/0fnoNC/A4Bwh/GO47cIuD5c7SS3MY/DY42dPf4zQ==",
        ),
        "package/src/ctrf-schema-0.0.json",
    ),
}


def schema(name):
    """The JSON Schema of a format, as its makers publish it."""
    return json.loads(npm.file(*PACKAGES[name]))
