"""The line in place of what is left out, as it is found again."""

from time import thread_time

from longrein.core.offload import left_out, what_left_out, where_left_out


def test_how_much_and_where_is_found_again_whatever_the_path() -> None:
    line = left_out(1_200, "of 3,400 characters", "/a folder/left out ...].txt")
    text = f"{left_out(5, 'bytes', '/old.txt')}\n{line}\n{left_out(7, 'bytes', kept=True)}"
    assert what_left_out(f"head\n{line}\ntail") == "1,200 of 3,400 characters"
    assert where_left_out(text) == "/a folder/left out ...].txt"
    assert where_left_out("see /old.txt; use grep or read_file.") == ""


def test_no_text_takes_long_to_be_looked_through() -> None:
    begun = thread_time()
    assert what_left_out("[... 1 b" + " left out" * 20_000) == ""
    assert thread_time() - begun < 1
