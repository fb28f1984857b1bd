"""C of several files as one text: nesting, guards, headers of the system, missing files and cycles."""

from pathlib import Path

import pytest

from symbody.codegen.includes import ROOT, TranslationUnit, c_file, pasted
from symbody.errors import CompileError


def write(folder: Path, **files: str) -> Path:
    """Files by name (a__b: b in the folder a); the folder."""
    for name, text in files.items():
        place = folder / (name.replace("__", "/") + (".c" if name == "main" else ".h"))
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)
    return folder


def guarded(name: str, text: str) -> str:
    return f"/* about {name} */\n#ifndef {name}_H\n#define {name}_H\n\n{text}\n\n#endif\n"


def test_includes_are_resolved_from_the_folder_of_the_file_that_includes(tmp_path):
    write(tmp_path, main='#include "deep/a.h"\nint m;', deep__a='#include "b.h"\nint a;', deep__b="int b;")
    write(tmp_path, b="int wrong;")
    assert TranslationUnit().paste(tmp_path / "main.c").split() == ["int", "b;", "int", "a;", "int", "m;"]


def test_a_guarded_file_appears_once_and_without_its_guard(tmp_path):
    write(tmp_path, a=guarded("A", '#include "c.h"\n\nint a;'), b=guarded("B", '#include "c.h"\n\nint b;'))
    write(tmp_path, c=guarded("C", "int c;"), main='#include "a.h"\n#include "b.h"\nint m;')
    text = TranslationUnit().paste(tmp_path / "main.c")
    assert [line for line in text.split("\n") if line.startswith("int")] == ["int c;", "int a;", "int b;", "int m;"]
    assert "_H" not in text
    assert "\n\n\n" not in text


def test_a_file_without_a_guard_appears_each_time(tmp_path):
    write(tmp_path, a="COUNT", main='#include "a.h"\n#include "a.h"\n')
    assert TranslationUnit().paste(tmp_path / "main.c").split() == ["COUNT", "COUNT"]


@pytest.mark.parametrize(
    "text",
    [
        "#ifndef A_H\n#define A_H\nX\n#endif\nint after;\n",
        "#ifndef A_H\n#define OTHER_H\nX\n#endif\n",
        "#ifndef A_H\n#define A_H\n#else\nX\n#endif\n",
        "#ifndef A_H\n#define A_H\n#endif\n#ifdef B\nX\n#endif\n",
    ],
)
def test_what_only_looks_like_a_guard_stays(tmp_path, text):
    write(tmp_path, a=text)
    unit = TranslationUnit()
    assert unit.paste(tmp_path / "a.h") == unit.paste(tmp_path / "a.h") == text.strip()


def test_guards_allow_a_cycle(tmp_path):
    write(tmp_path, a=guarded("A", '#include "b.h"\nint a;'), b=guarded("B", '#include "a.h"\nint b;'))
    text = TranslationUnit().paste(tmp_path / "a.h")
    assert [line for line in text.split("\n") if line.startswith("int")] == ["int b;", "int a;"]


def test_a_cycle_without_a_guard_is_an_error_with_its_places(tmp_path):
    write(tmp_path, a='int a;\n#include "b.h"\n', b='\n\n#include "a.h"\n', main='#include "a.h"\n')
    with pytest.raises(CompileError, match=r"b\.h:3: .*a\.h includes itself and has no include guard") as caught:
        TranslationUnit().paste(tmp_path / "main.c")
    chain = str(caught.value).split("\n")[1:]
    assert [line.rpartition("/")[2] for line in chain] == ["a.h:2", "main.c:1"]


def test_a_missing_file_is_an_error_with_file_and_line(tmp_path):
    write(tmp_path, main='int m;\n\n#include "gone.h"\n')
    with pytest.raises(CompileError, match=r"main\.c:3: .*gone\.h cannot be read: No such file"):
        TranslationUnit().paste(tmp_path / "main.c")
    with pytest.raises(CompileError, match=r"nothing\.c cannot be read"):
        TranslationUnit().paste(tmp_path / "nothing.c")


def test_headers_of_the_system_appear_once(tmp_path):
    write(tmp_path, a=guarded("A", "#include <math.h>\n#include <string.h>\n\nint a;"))
    write(tmp_path, main='#include <math.h>\n#include "a.h"\nint m;')
    text = TranslationUnit(["string.h"]).paste(tmp_path / "main.c")
    assert text.count("<math.h>") == 1
    assert "<string.h>" not in text


def test_what_a_condition_includes_is_there_for_the_rest_too(tmp_path):
    """One branch may not be taken: the file and the system's header come again behind it, with the guard."""
    write(tmp_path, a=guarded("A", "#include <math.h>\nint a;"))
    write(tmp_path, main='#ifdef X\n#include "a.h"\n#endif\n#include "a.h"\n#include "a.h"\n')
    text = TranslationUnit().paste(tmp_path / "main.c")
    assert text.count("int a;") == text.count("#ifndef A_H") == text.count("<math.h>") == 2


def test_comments_are_not_directives(tmp_path):
    write(tmp_path, main='/* #include "gone.h"\n#include "gone.h"\n*/\n// #include "gone.h"\nint m;')
    assert TranslationUnit().paste(tmp_path / "main.c").endswith("int m;")


def test_files_of_one_text_share_what_they_include(tmp_path):
    write(tmp_path, a=guarded("A", '#include "c.h"\nint a;'), b=guarded("B", '#include "c.h"\nint b;'))
    write(tmp_path, c=guarded("C", "int c;"))
    assert pasted([tmp_path / "a.h", tmp_path / "b.h"]).count("int c;") == 1


def test_the_runtime_is_one_text_without_includes_of_its_own():
    text = TranslationUnit().paste(c_file("scene.c", "symbody.haptics.tick"))
    assert '#include "' not in text
    assert text.count("static inline int cholesky(") == 1


def test_errors_name_files_of_the_package_by_their_place_in_it():
    with pytest.raises(CompileError, match=r"^haptics/none\.c cannot be read"):
        TranslationUnit().paste(ROOT / "haptics" / "none.c")
