import io
import stat
import tarfile
import zipfile

import pytest

from agentevals.github.artifact_archives import Caps, untar, unzip
from agentevals.model.errors import InputError

SMALL = Caps(entries=10, total_bytes=10_000, entry_bytes=5_000)
ESCAPES = ["../evil", "a/../../evil", "/etc/evil", "a\\..\\evil", "..", "x" * 2000]


def zipped(*entries, mode=None):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            info = zipfile.ZipInfo(name)
            if mode is not None:
                info.external_attr = mode << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def tarred(*entries, kind=tarfile.REGTYPE, target="", mode=0o644):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in entries:
            info = tarfile.TarInfo(f"o-r-abc/{name}")
            info.type, info.linkname, info.size = kind, target, len(content)
            info.mode = mode
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def there(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(params=[(zipped, unzip), (tarred, untar)], ids=["zip", "tar"])
def kind(request):
    return request.param


def test_files_and_folders(kind, tmp_path):
    pack, unpack = kind
    found = unpack(pack(("a.json", b"1"), ("b/c/d.json", b"2")), tmp_path / "new")

    assert found.files == ("a.json", "b/c/d.json")
    assert there(tmp_path / "new") == {"a.json": b"1", "b/c/d.json": b"2"}


@pytest.mark.parametrize("name", ESCAPES)
def test_no_name_leads_out(kind, tmp_path, name):
    pack, unpack = kind

    with pytest.raises(InputError, match="leads out of its folder"):
        unpack(pack((name, b"evil")), tmp_path / "new")

    assert there(tmp_path) == {}


def test_an_absolute_name_in_a_tarball_stays_below(tmp_path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("/etc/evil"), io.BytesIO())
    untar(packed.getvalue(), tmp_path / "new")

    assert there(tmp_path) == {"new/etc/evil": b""}


def test_links_in_a_zip_file_are_left_out(tmp_path):
    data = zipped(("link", b"/etc/passwd"), mode=stat.S_IFLNK | 0o777)
    found = unzip(data, tmp_path / "new")

    assert (found.files, found.skipped) == ((), ("link",))
    assert not (tmp_path / "new/link").is_symlink()


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
def test_links_and_devices_in_a_tarball_are_left_out(tmp_path, kind):
    found = untar(tarred(("link", b""), kind=kind, target="/etc/passwd"), tmp_path / "new")

    assert (found.files, found.skipped) == ((), ("link",))
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o4777])
def test_a_program_in_a_tarball_stays_one_and_gets_no_other_rights(tmp_path, mode):
    untar(tarred(("run", b"#!/bin/sh"), mode=mode), tmp_path / "new")
    found = (tmp_path / "new/run").stat().st_mode

    assert (bool(found & stat.S_IXUSR), found & stat.S_ISUID) == (mode != 0o644, 0)


def test_too_many_entries(kind, tmp_path):
    pack, unpack = kind
    data = pack(*((f"{number}", b"") for number in range(11)))

    with pytest.raises(InputError, match="more than 10 entries"):
        unpack(data, tmp_path / "new", SMALL)


@pytest.mark.parametrize("sizes", [(5_001,), (4_000, 4_000, 4_000)])
def test_a_bomb(kind, tmp_path, sizes):
    pack, unpack = kind
    data = pack(*((f"{number}", b"\0" * size) for number, size in enumerate(sizes)))

    with pytest.raises(InputError, match="more than it may"):
        unpack(data, tmp_path / "new", SMALL)


def test_a_bomb_in_the_headers_of_a_tarball(tmp_path):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("o-r-abc/a")
        info.pax_headers = {"comment": "x" * 100_000}
        archive.addfile(info, io.BytesIO())

    with pytest.raises(InputError, match="more than it may"):
        untar(packed.getvalue(), tmp_path / "new", SMALL)


def test_an_index_of_a_million_entries_is_not_read(tmp_path):
    with pytest.raises(InputError, match="more than it may"):
        unzip(b"PK\x01\x02" * 100_001, tmp_path / "new")


def test_an_index_of_as_many_entries_as_there_may_be_is_read(tmp_path):
    with pytest.raises(InputError, match="cannot be unpacked"):
        unzip(b"PK\x01\x02" * 100_000, tmp_path / "new")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice(kind, tmp_path):
    pack, unpack = kind

    with pytest.raises(InputError, match="'a' cannot be written: File exists"):
        unpack(pack(("a", b"1"), ("a", b"2")), tmp_path / "new")


def test_a_file_that_is_a_folder_too(kind, tmp_path):
    pack, unpack = kind

    with pytest.raises(InputError, match="cannot be written"):
        unpack(pack(("a", b"1"), ("a/b", b"2")), tmp_path / "new")


@pytest.mark.parametrize("data", [b"", b"PK", b"\x1f\x8b", b"<html>", b"\0" * 1024])
def test_what_is_no_archive(kind, tmp_path, data):
    _, unpack = kind

    with pytest.raises(InputError, match="cannot be unpacked"):
        unpack(data, tmp_path / "new")


def test_an_archive_that_is_cut_off(kind, tmp_path):
    pack, unpack = kind
    data = pack(*((f"{n}", bytes(range(256)) * 10) for n in range(9)))

    with pytest.raises(InputError, match="cannot be unpacked"):
        unpack(data[: len(data) // 2], tmp_path / "new")


def test_a_zip_file_with_a_password(tmp_path):
    data = bytearray(zipped(("a", b"secret")))
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + place] |= 1

    with pytest.raises(InputError, match="cannot be unpacked"):
        unzip(bytes(data), tmp_path / "new")


def test_a_zip_file_whose_content_is_not_what_it_says(tmp_path):
    data = bytearray(zipped(("a", b"secret" * 100)))
    data[40] ^= 0xFF

    with pytest.raises(InputError, match="cannot be unpacked"):
        unzip(bytes(data), tmp_path / "new")


def test_only_into_a_folder_of_its_own(kind, tmp_path):
    pack, unpack = kind
    (tmp_path / "there").write_text("mine")

    with pytest.raises(InputError, match="not empty"):
        unpack(pack(("a", b"1")), tmp_path)
