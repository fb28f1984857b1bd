"""Ready machines: each computes its own case and gives a report; `symbody demo` lists and runs them."""
