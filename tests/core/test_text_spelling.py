from sparring.core.text import close, closest, meant


def test_the_closest_name_is_meant_whatever_its_case():
    assert meant("PIZERIA", ["pizzeria", "rasa"]) == "did you mean 'pizzeria'?"
    assert (closest("Rasa", ["pizzeria", "rasa"]), closest("x", ["pizzeria"])) == ("rasa", None)


def test_how_close_it_has_to_be_can_be_said():
    assert closest("pizza", ["pizzeria"]) == "pizzeria"
    assert closest("pizza", ["pizzeria"], cutoff=0.9) is None


def test_where_none_is_close_all_are_named_or_some_of_many():
    many = [f"case/{n}" for n in range(30)]

    assert meant("zzz", ["a", "b"]) == "there are: a, b"
    assert meant("zzz", []) == "there are: none"
    assert meant("zzz", many) == "there are 30, such as case/0, case/1, case/2"
    assert close("zzz", many) == ""
