"""X1: what belongs to one person is out of reach for every other; the tests are generated from the code."""
