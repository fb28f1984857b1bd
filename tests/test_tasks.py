"""The table of docs/tasks.md: its counts of lines are those of the blocks, which test_doc_blocks.py runs."""

import re

import doc_blocks

PAGE = doc_blocks.ROOT / "docs" / "tasks.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = re.findall(r"^\| \[([^\]]+)\]\(#[^)]+\) \| (\d+) \|", TEXT, re.MULTILINE)


def test_there_are_twelve_tasks_with_a_block_each():
    blocks = [block for block in doc_blocks.blocks(PAGE) if block.language == "python"]
    assert len(ROWS) == len(blocks) == 12


def test_the_table_has_the_lines_of_each_block():
    parts = re.split(r"^## (.+)$", TEXT, flags=re.MULTILINE)
    code = dict(zip(parts[1::2], parts[2::2], strict=True))
    for task, lines in ROWS:
        block = re.search(r"```python\n(.*?)```", code[task[0].upper() + task[1:]], re.DOTALL)
        assert block
        assert len([line for line in block[1].splitlines() if line.strip()]) == int(lines), task
