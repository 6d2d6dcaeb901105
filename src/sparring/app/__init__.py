"""The use cases: launch, judge, check, compare, report, export, import, plan and validate, as functions over values.

Prints nothing and knows neither the command line nor HTTP.
"""
