"""derive: what the ack left to do. One memory in; edges, terms, knowledge and questions out, each stage committed by itself."""
