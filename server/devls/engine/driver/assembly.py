"""The engine put together: importing this has every floor register what it knows.

Lower floors ask questions and announce moments without knowing who answers or listens (`core/questions.py`,
`core/moments.py`). Each module that registers something is named here; a test holds the list complete. Where two of them
listen to the same moment, they are told in this order.
"""

from __future__ import annotations

from devls.engine.checks import (  # noqa: F401
    call_arguments,
    call_order,
    cuda_index,
    eval_graph,
    grad_accumulation,
    graph_checks,
    host_reads,
    leaf_writes,
    memory,
    missing_detach,
    mixed_devices,
    retained_graphs,
    transfers,
    uncalled,
    zero_grad,
)
from devls.engine.evidence import (  # noqa: F401
    batch_provenance,
    cli_defaults,
    current_card,
    grad_mode,
    host_read_presumptions,
    leaf_write_presumptions,
    mismatch_presumptions,
    opaque_models,
    test_code,
)
