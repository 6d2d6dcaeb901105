"""Use cases as functions over values: launch, judge, check, compare, report, export, import, plan.

Prints nothing and knows neither the command line nor HTTP.
"""
