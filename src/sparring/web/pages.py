"""Pages for people, made from templates; whatever is put into one is text, never markup."""

from functools import lru_cache

from jinja2 import Environment, PackageLoader, StrictUndefined


def render(name: str, **values: object) -> str:
    """A page."""
    return _templates().get_template(name).render(**values)


@lru_cache(1)
def _templates() -> Environment:
    return Environment(loader=PackageLoader("sparring.web"), autoescape=True, undefined=StrictUndefined)
