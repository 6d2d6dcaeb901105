"""A sales agent of a food wholesaler by phone, in Russian and English, with scenarios and judge.

The package imports nothing, so that its scenario kind can be loaded without the chatbot.
"""
