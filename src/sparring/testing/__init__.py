"""Test support for Sparring and its plug-ins: fakes, factories and conformance suites."""

from sparring.testing.conformance.chatbots import check_chatbot as check_chatbot
from sparring.testing.conformance.roles import check_judge as check_judge
from sparring.testing.conformance.roles import check_model as check_model
from sparring.testing.conformance.roles import check_reader as check_reader
from sparring.testing.conformance.roles import check_scenario_kind as check_scenario_kind
from sparring.testing.conformance.roles import check_user as check_user
from sparring.testing.faulty_user import FaultyUser as FaultyUser
