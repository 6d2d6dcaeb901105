"""Test support for Sparring and its plug-ins: fakes, factories and conformance suites."""

from sparring.testing.conformance.chatbots import check_chatbot as check_chatbot
from sparring.testing.conformance.scenarios import check_scenario_kind as check_scenario_kind
