"""What tests of chatbots, users, models and stores need; for plug-ins as much as for Sparring itself."""

from sparring.testing.conformance.chatbots import check_chatbot as check_chatbot
from sparring.testing.conformance.scenarios import check_scenario_kind as check_scenario_kind
