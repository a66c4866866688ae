import logging

logging.getLogger("semantic_kernel").setLevel(logging.INFO)
