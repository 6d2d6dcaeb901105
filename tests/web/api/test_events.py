import threading
from collections import Counter

import pytest

from web.conftest import Client, Open, events, finished, launched, scenarios

pytestmark = pytest.mark.slow  # its tests play batches


def test_events_are_streamed_until_the_batch_is_done(client: Client):
    id = launched(client, scenarios(2))

    told = events(client, id)

    names = [name for _, name, _ in told if name != "message"]
    assert names[0] == "batch_started"
    assert Counter(names[1:-2]) == {"conversation_started": 2, "conversation_ended": 2, "verdict_given": 2}
    assert names[-2:] == ["batch_finished", "done"]
    assert told[-1][2]["status"] == "completed"


def test_earlier_events_are_sent_again(client: Client):
    id = finished(client, scenarios(2))

    first, second = events(client, id), events(client, id)

    assert first == second


@pytest.mark.slow
def test_a_listener_that_was_cut_off_goes_on_where_it_stopped(client: Client):
    id = finished(client, scenarios(2))
    whole = events(client, id)
    number = whole[2][0]

    assert events(client, id, **{"last-event-id": number}) == whole[3:]
    assert client.get(f"/api/batches/{id}/events?after={number}").text.count("event: ") == len(whole) - 3


def test_a_number_that_is_none_is_refused(client: Client):
    id = finished(client, scenarios(1))

    told = [
        client.get(f"/api/batches/{id}/events", headers={"last-event-id": "x"}),
        client.get(f"/api/batches/{id}/events?after=-1"),
    ]

    assert [answer.status_code for answer in told] == [400, 400]


@pytest.mark.slow
def test_messages_are_streamed_as_they_are_said(opened: Open):
    client = opened(concurrency=1)
    id = launched(client, scenarios(30))

    told = events(client, id)

    words = [data for _, name, data in told if name == "message"]
    assert {each["speaker"] for each in words} == {"client", "agent"}
    assert all(not number for number, name, _ in told if name == "message")


def test_an_ending_event_has_the_outcome_of_the_conversation(client: Client):
    id = finished(client, scenarios(1))

    (ended,) = [data for _, name, data in events(client, id) if name == "conversation_ended"]
    (result,) = client.get(f"/api/batches/{id}/results").json()["results"]

    assert {**result, "conversation_history": None} == ended


@pytest.mark.slow
def test_no_more_may_listen_than_the_operator_allows(opened: Open):
    client = opened(max_listeners=1, concurrency=1)
    id = launched(client, scenarios(200))
    first = threading.Thread(target=events, args=(client, id))
    service = client.app_state.service

    first.start()
    while not service.listener_limit.count:
        pass
    refused = client.get(f"/api/batches/{id}/events")
    client.post(f"/api/batches/{id}/cancel")
    first.join()

    assert refused.status_code == 429
    assert service.listener_limit.count == 0
