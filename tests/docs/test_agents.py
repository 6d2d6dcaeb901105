"""Lists of pages: llms.txt and the navigation of the site; and the skill of coding agents."""

import re
from pathlib import Path

import yaml

from sparring.cli import COMMANDS

ROOT = Path(__file__).parents[2]
FOLDERS = ("how-to", "reference", "explanation")
SKILL = (ROOT / "skills/sparring/SKILL.md").read_text(encoding="utf-8")


def test_links_of_llms_txt_lead_to_files():
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "llms.txt").read_text(encoding="utf-8"))

    assert [link for link in links if not (ROOT / link).is_file()] == []
    assert {f"docs/how-to/{page.name}" for page in (ROOT / "docs/how-to").glob("*.md")} <= {*links}


def test_the_skill_names_commands_and_tools_that_exist():
    from sparring.integrations.mcp_server.tools import AgentTools

    commands = re.findall(r"sparring (\w+)", re.sub(r"^---.*?^---", "", SKILL, flags=re.MULTILINE | re.DOTALL))
    tools = re.search(r"With the MCP server.*?: (.*)\.", SKILL)

    assert {each for each in commands if each not in COMMANDS} == set()
    assert tools is not None
    assert all(callable(getattr(AgentTools, name)) for name in re.findall(r"`(\w+)`", tools[1]))
    assert len(SKILL.splitlines()) <= 50


def test_the_navigation_of_the_site_has_every_page():
    sections = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    listed = [page for section in sections for pages in section.values() for page in pages]
    written = {f"{folder}/{page.name}" for folder in FOLDERS for page in (ROOT / "docs" / folder).glob("*.md")}

    assert sorted(listed) == sorted({"index.md", "decisions/README.md", *written})
