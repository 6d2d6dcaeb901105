"""Phrasebooks: questions of chatbots that are recognised in each language."""

import dataclasses
import re

import pytest

from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.questions import Kind, questions
from tables import table

ENGLISH = phrasebook("english")

QUESTIONS = {
    "French": {
        Kind.CONFIRM: (
            "C'est bien correct ?",
            "Souhaitez-vous confirmer la réservation ?",
            "Dois-je valider la commande ?",
            "Une table pour deux, c'est exact ?",
            "Puis-je procéder à l'annulation ?",
        ),
        Kind.MORE: (
            "Souhaitez-vous autre chose ?",
            "Puis-je vous aider en quoi que ce soit d'autre, une autre question ?",
            "Avez-vous d'autres questions ?",
        ),
        Kind.HOW_MANY: ("Combien de personnes serez-vous ?",),
        Kind.OFFER: ("Désirez-vous un dessert ?", "Vous voulez une boisson ?"),
    },
    "German": {
        Kind.CONFIRM: (
            "Ist das so richtig?",
            "Soll ich den Tisch jetzt verbindlich buchen?",
            "Stimmt das so?",
            "Möchten Sie die Bestellung so abschließen?",
            "Darf ich die Reservierung eintragen?",
        ),
        Kind.MORE: (
            "Kann ich sonst noch etwas für Sie tun?",
            "Haben Sie noch weitere Fragen?",
            "Darf es noch etwas sein?",
        ),
        Kind.HOW_MANY: ("Wie viele Personen kommen?",),
        Kind.OFFER: ("Möchten Sie ein Dessert?", "Brauchen Sie eine Quittung?"),
    },
    "Italian": {
        Kind.CONFIRM: (
            "È tutto corretto?",
            "Vuole che proceda con la prenotazione?",
            "Posso confermare l'ordine?",
            "Un tavolo per due, giusto?",
            "Mi conferma i dati?",
        ),
        Kind.MORE: ("Desidera altro?", "Posso aiutarla in qualcos'altro?", "Ha altre domande?"),
        Kind.HOW_MANY: ("Quante persone sarete?",),
        Kind.OFFER: ("Desidera un dolce?", "Le serve una ricevuta?"),
    },
    "Portuguese": {
        Kind.CONFIRM: (
            "Está tudo certo?",
            "Posso confirmar o pedido?",
            "Uma mesa para dois, correto?",
            "Você confirma os dados?",
        ),
        Kind.MORE: ("Deseja mais alguma coisa?", "Posso ajudar em algo mais?", "Mais alguma dúvida?"),
        Kind.HOW_MANY: ("Quantas pessoas serão?",),
        Kind.OFFER: ("Você gostaria de uma sobremesa?", "Precisa de recibo?"),
    },
}
REQUESTS = {
    "French": ("Veuillez indiquer votre adresse.", "J'aurais besoin de votre nom.", "Merci de préciser la date."),
    "German": ("Bitte geben Sie Ihre Adresse an.", "Ich brauche noch Ihren Namen.", "Nennen Sie mir den Tag."),
    "Italian": ("Mi indichi il suo indirizzo.", "Mi serve il suo nome.", "Per favore, indichi la data."),
    "Portuguese": ("Por favor, informe o endereço.", "Preciso do seu nome.", "Me diga a data."),
}


@table(
    ("language", "kind", "question"),
    [
        (language, kind, question)
        for language, kinds in QUESTIONS.items()
        for kind, some in kinds.items()
        for question in some
    ],
)
def test_kinds_of_questions_are_recognised(language: str, kind: Kind, question: str):
    (found,) = questions(question, variables={}, hints=(), book=phrasebook(language))

    assert found.kind is kind


@table(("language", "request_"), [(each, text) for each, some in REQUESTS.items() for text in some])
def test_requests_without_a_question_mark_are_recognised(language: str, request_: str):
    assert questions(request_, variables={}, hints=(), book=phrasebook(language))


@pytest.mark.parametrize("language", QUESTIONS)
def test_every_sentence_is_in_the_language_and_takes_what_it_is_given(language: str):
    book = phrasebook(language)

    said = {name: _sentences(book, name) for name in _TEXTS}

    assert not {name: both for name, some in said.items() if (both := some & _sentences(ENGLISH, name))}
    assert {name: _fields(some) for name, some in said.items()} == {
        name: _fields(_sentences(ENGLISH, name)) for name in _TEXTS
    }
    assert book.facts.keys() == ENGLISH.facts.keys()
    assert book.asides.keys() == ENGLISH.asides.keys()


_TEXTS = tuple(each.name for each in dataclasses.fields(Phrasebook) if isinstance(getattr(ENGLISH, each.name), tuple))


def _sentences(book: Phrasebook, name: str) -> set[str]:
    return set(getattr(book, name)) - {"{}", "No, {}."}


def _fields(sentences: set[str]) -> set[str]:
    return {field for sentence in sentences for field in re.findall(r"\{\w*\}", sentence)}


@pytest.mark.parametrize(
    ("language", "question", "kind"),
    [
        ("Russian", "Во сколько вы придёте?", Kind.VARIABLE),
        ("Russian", "Сколько вас будет?", Kind.HOW_MANY),
        ("French", "Combien de temps cela dure ?", Kind.OTHER),
        ("French", "Combien de personnes ?", Kind.HOW_MANY),
    ],
)
def test_a_question_for_a_time_is_none_for_a_number(language: str, question: str, kind: Kind):
    (found,) = questions(question, variables={"moment": "19:30"}, hints=(), book=phrasebook(language))

    assert found.kind is kind
