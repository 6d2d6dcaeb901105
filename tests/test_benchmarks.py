import pytest

from benchmarking import benchmark, functions


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("offline.py many", "argument conversations: should be a whole number, of at least 1"),
        ("offline.py 10 pizeria", "argument chatbot: invalid choice: 'pizeria'"),
        ("rules.py 1000 0", "argument conversations: should be a whole number, of at least 1"),
        ("store.py 1e3", "argument rows: should be a whole number, of at least 1"),
        ("server_pages.py --rate -1", "argument --rate: should be a whole number, of at least 1"),
        (
            "server_pages.py --live 3000",
            "server_pages.py: error: argument --live: should be a whole number from 1 to 1000",
        ),
        (
            "server_pages.py --live many",
            "server_pages.py: error: argument --live: should be a whole number from 1 to 1000",
        ),
        ("store.py 10 20", "unrecognized arguments: 20"),
        ("styles.py --seeds none", "argument --seeds: should be a whole number, of at least 1"),
        ("audit.py --conversations 0", "argument --conversations: should be a whole number, of at least 1"),
    ],
)
def test_a_benchmark_says_what_it_wants(capsys: pytest.CaptureFixture[str], arguments: str, said: str):
    with pytest.raises(SystemExit) as ended:
        benchmark(*arguments.split())

    assert (ended.value.code, said in capsys.readouterr().err.splitlines()[-1]) == (2, True)


@pytest.mark.process
def test_measured_memory_is_that_of_the_program_alone():
    held = bytearray(200_000_000)

    code, _, megabytes = functions("scale.py")["measured"]("-c", "raise SystemExit(3)")

    assert (code, megabytes < 50, len(held)) == (3, True, 200_000_000)
