"""A sales agent of a food wholesaler on the phone, in Russian and English, with its scenarios and judge.

The package imports nothing, so that its scenario kind can be loaded without the chatbot.
"""
