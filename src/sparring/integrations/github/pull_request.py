"""One comment on a pull request, found by a hidden marker and updated in place."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.core.errors import SparringError
from sparring.core.version import __version__
from sparring.llm.redaction import Hidden, without

if TYPE_CHECKING:
    from aiohttp import ClientSession

_PAGE, _PAGES = 100, 30
_SECONDS = 30


class NotCommented(SparringError):
    """A comment cannot be written; the message says why."""


@dataclass(frozen=True, slots=True)
class PullRequest:
    """The pull request of a job, and what its comments are written with."""

    api: str
    number: int
    marker: str
    token: Hidden

    async def comment(self, text: str) -> str:
        """Write the comment, or replace the text of the one that is there. Return its address.

        Raise NotCommented if GitHub refuses or does not answer.
        """
        import aiohttp  # only who writes a comment pays for it

        headers = {
            "accept": "application/vnd.github+json",
            "authorization": f"Bearer {self.token!s}",
            "user-agent": f"sparring/{__version__}",
            "x-github-api-version": "2022-11-28",
        }
        body = {"body": f"{self.marker}\n{text}"}
        try:
            timeout = aiohttp.ClientTimeout(total=_SECONDS)
            async with aiohttp.ClientSession(headers=headers, timeout=timeout, trust_env=True) as session:
                if found := await self._existing(session):
                    written = await self._ask(session, "PATCH", f"/issues/comments/{found}", json=body)
                else:
                    written = await self._ask(session, "POST", f"/issues/{self.number}/comments", json=body)
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            said = without(str(error) or type(error).__name__, self.token)
            raise NotCommented(f"GitHub does not answer: {said}") from None
        return str(written.get("html_url", ""))

    async def _existing(self, session: "ClientSession") -> int | None:
        """Return the id of the comment that begins with the marker and is by a bot, as ours are."""
        for page in range(1, _PAGES + 1):
            params = {"per_page": str(_PAGE), "page": str(page)}
            found = await self._ask(session, "GET", f"/issues/{self.number}/comments", params=params)
            for each in found:
                if each["user"]["type"] == "Bot" and (each["body"] or "").startswith(self.marker):
                    return int(each["id"])
            if len(found) < _PAGE:
                break
        return None

    async def _ask(self, session: "ClientSession", method: str, path: str, **request: Any) -> Any:
        async with session.request(method, self.api + path, allow_redirects=False, **request) as answer:
            if answer.status not in (200, 201):
                hint = ": the job lacks `permissions: pull-requests: write`" if answer.status in (401, 403, 404) else ""
                raise NotCommented(f"GitHub answers with status {answer.status}{hint}")
            return await answer.json()


def pull_request(environment: Mapping[str, str], name: str) -> PullRequest:
    """Return the pull request of the job that `environment` describes; `name` tells its comments apart.

    Raise NotCommented if there is none, or if its job must not write comments.
    """
    repository, token = environment.get("GITHUB_REPOSITORY", ""), environment.get("GITHUB_TOKEN", "")
    try:
        event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
        change = event["pull_request"]
        number, head = int(change["number"]), (change["head"]["repo"] or {}).get("full_name")
    except (KeyError, TypeError, ValueError, OSError):
        raise NotCommented("this job is not about a pull request") from None
    if head != repository:
        raise NotCommented("the pull request comes from a fork, whose jobs must not write comments")
    if not token:
        raise NotCommented("there is no token: set GITHUB_TOKEN")
    parts = (environment.get("GITHUB_WORKFLOW", ""), environment.get("GITHUB_JOB", ""), name)
    place = re.sub(r"[^\w./]+|-{2,}", "-", "/".join(parts), flags=re.ASCII).strip("-")
    api = environment.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
    return PullRequest(f"{api}/repos/{repository}", number, f"<!-- sparring:{place} -->", Hidden(token))
