"""gRPC writes what it does to stderr beside the errors that it reports. Whoever wants that sets the variable."""

import os

os.environ.setdefault("GRPC_VERBOSITY", "NONE")
