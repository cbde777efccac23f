"""The example programs in the documents. A test runs each of them."""
