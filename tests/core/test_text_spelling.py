from sparring.core.text import closest_name, did_you_mean, suggest


def test_the_closest_name_is_found_in_any_case():
    assert suggest("PIZERIA", ["pizzeria", "rasa"]) == "did you mean 'pizzeria'?"
    assert (closest_name("Rasa", ["pizzeria", "rasa"]), closest_name("x", ["pizzeria"])) == ("rasa", None)


def test_the_minimum_similarity_is_an_argument():
    assert closest_name("pizza", ["pizzeria"]) == "pizzeria"
    assert closest_name("pizza", ["pizzeria"], cutoff=0.9) is None


def test_without_a_close_name_all_names_or_the_first_are_listed():
    many = [f"case/{n}" for n in range(30)]

    assert suggest("zzz", ["a", "b"]) == "there are: a, b"
    assert suggest("zzz", []) == "there are: none"
    assert suggest("zzz", many) == "there are 30, such as case/0, case/1, case/2"
    assert did_you_mean("zzz", many) == ""
