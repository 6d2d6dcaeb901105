import socket
from http.client import HTTPConnection
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.cli.server_options import serve_settings
from sparring.core.errors import InputError
from sparring.settings import Serve, Settings
from web.conftest import scenarios
from web.serving import Server


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "sparring.example.com"])
def test_an_address_that_others_reach_needs_a_token(inside: Sparring, host: str):
    done = inside("serve", "--chatbot", "pizzeria", "--host", host)

    assert (done.returncode, done.stderr) == (
        2,
        f"error: {host} is reachable from other machines, and there is no token\n"
        "hint: create one with: sparring tokens add NAME --role admin; or set SPARRING_SERVE_TOKEN or --token-file "
        "FILE; --host 127.0.0.1 needs no token\n",
    )


def test_the_environment_cannot_open_the_door_either(inside: Sparring):
    assert inside("serve", "--chatbot", "pizzeria", env={"HOST": "0.0.0.0"}).returncode == 2


@pytest.mark.parametrize("token", ["short", "with spaces in it and long", "ключ-ключ-ключ-ключ"])
def test_a_token_that_is_none_is_refused(inside: Sparring, token: str):
    done = inside("serve", "--chatbot", "pizzeria", env={"SPARRING_SERVE_TOKEN": token})

    assert done.returncode == 2
    assert "the token is invalid" in done.stderr
    assert token not in done.stderr


def test_a_token_file_that_cannot_be_read_is_refused(inside: Sparring, tmp_path: Path):
    (tmp_path / "empty").write_text("\n")

    told = [inside("serve", "--chatbot", "pizzeria", "--token-file", name).returncode for name in ("none", "empty")]

    assert told == [2, 2]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--chatbot", "pizzerja"], "unknown chatbot 'pizzerja'"),
        (["--chatbot", "pizzeria", "--model", "opneai:x"], "unknown model 'opneai'"),
        (["--chatbot", "pizzeria", "--model", "openai:gpt-4o-mini"], "OPENAI_API_KEY"),
    ],
)
def test_players_that_cannot_be_offered_are_refused_at_the_start(inside: Sparring, arguments: list[str], said: str):
    done = inside("serve", *arguments)

    assert done.returncode == 2
    assert said in done.stderr


def test_a_port_that_is_taken_is_said(inside: Sparring):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        done = inside("serve", "--chatbot", "pizzeria", "--port", str(port))

    assert done.returncode == 2
    assert f"cannot listen at 127.0.0.1 port {port}" in done.stderr


@pytest.mark.process
def test_a_header_does_not_change_the_identity_of_a_caller(tmp_path: Path):
    (tmp_path / "sparring.yaml").write_text("serve: {requests_per_minute: 3}\n")
    statuses = []
    with Server(tmp_path, "--chatbot", "pizzeria", "--model", "offline") as server:
        for number in range(5):
            asking = HTTPConnection(server.address.removeprefix("http://"), timeout=240)
            asking.request("GET", "/api/batches", headers={"X-Forwarded-For": f"192.0.2.{number}"})
            statuses.append(asking.getresponse().status)
            asking.close()

    assert statuses == [200] * 3 + [429] * 2


@pytest.mark.process
def test_a_second_server_on_a_store_is_refused(inside: Sparring, tmp_path: Path):
    with Server(tmp_path, "--chatbot", "pizzeria") as server:
        server.post("/api/batches", scenarios(1))
        done = inside("serve", "--chatbot", "pizzeria", "--port", "0")

    assert (done.returncode, "is served by another server already" in done.stderr) == (3, True)


@pytest.mark.process
def test_a_server_stops_cleanly_while_a_client_listens(tmp_path: Path):
    with Server(tmp_path, "--chatbot", "pizzeria", "--concurrency", "1") as server:
        id = server.post("/api/batches", scenarios(400))["batch_id"]
        with socket.create_connection(("127.0.0.1", int(server.address.rpartition(":")[2]))) as listener:
            listener.sendall(f"GET /api/batches/{id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert listener.recv(100).startswith(b"HTTP/1.1 200")
            code = server.stop()

    assert code == 0


def test_the_command_line_beats_the_environment_and_that_beats_the_file():
    settings = Settings(serve=Serve(host="::1", port=1, chatbots=("a",), models=("x",)), model="offline")
    environment = {"PORT": "2", "SPARRING_PORT": "3", "HOST": "", "DEBUG": "1"}

    chosen, level = serve_settings(settings, {"chatbots": ["b", "c"], "port": None, "models": []}, None, environment)

    assert (chosen.serve.host, chosen.serve.port, chosen.serve.chatbots, chosen.serve.models, level) == (
        "::1",
        3,
        ("b", "c"),
        ("x",),
        "debug",
    )


def test_a_chatbot_and_a_model_of_the_settings_are_offered_where_nothing_is_listed():
    chosen, _ = serve_settings(Settings(chatbot="pizzeria", model="openai:gpt-4o-mini"), {}, None, {})
    offline, level = serve_settings(Settings(chatbot="pizzeria"), {}, None, {"LOG_LEVEL": "INFO"})

    assert (chosen.serve.chatbots, chosen.serve.models) == (("pizzeria",), ("openai:gpt-4o-mini",))
    assert (offline.serve.models, level) == (("offline",), "info")


def test_a_server_without_a_list_offers_offline_players():
    chosen, _ = serve_settings(Settings(), {}, None, {})

    assert (chosen.serve.chatbots, chosen.serve.models) == (("pizzeria",), ("offline",))


@pytest.mark.parametrize("environment", [{"PORT": "many"}, {"PORT": "99999"}, {"LOG_LEVEL": "loud"}])
def test_variables_that_make_no_sense_are_refused(environment: dict[str, str]):
    with pytest.raises(InputError):
        serve_settings(Settings(chatbot="pizzeria"), {}, None, environment)
