"""`sparring personas`: the personalities that come along, by the names that scenarios use."""

import orjson

from sparring.cli import options
from sparring.cli.console import say
from sparring.cli.exits import PASSED
from sparring.core.value import Json
from sparring.scenarios.personas import shipped

personas_app = options.application()


@personas_app.command()
def personas(as_json: options.Json = False) -> int:
    """List the personalities that come along. A scenario names one as its user: `user: rude-user`."""
    if as_json:
        told: Json = [{"name": each.name, "traits": list(each.traits)} for each in shipped()]
        say(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return PASSED
    for each in shipped():
        say(each.name)
        for trait in each.traits:
            say(f"  - {trait}")
    return PASSED
