"""A profile of as many orders as there are numbers, for runs that are broken off."""

PROFILE = """\
test_name: order
user:
  role: You order a pizza.
  goals:
    - "a small custom pizza with corn and ham"
    - "the following drink: coke"
    - "number {{n}}"
    - n: {function: forward(), type: string, data: NUMBERS}
chatbot:
  is_starter: false
  fallback: I'm sorry, I did not get what you said.
conversation:
  number: all_combinations
  goal_style: {steps: 3}
  interaction_style: [default]
"""
