"""The engine put together: importing this has every floor register what it knows.

Lower floors ask questions, look up tables and announce moments without knowing who answers or listens (`core/questions.py`,
`core/transfer.py`, `core/moments.py`). Each module that registers something is named here; a test holds the list complete.
Checks hear of a moment in the order in which they are imported.
"""

# ruff: noqa: F401

from __future__ import annotations

from devls.engine.checks import (
    call_arguments,
    call_order,
    cuda_index,
    device_selection,
    eval_graph,
    grad_accumulation,
    graph_checks,
    implicit_backward,
    loop_escape,
    memory,
    missing_detach,
    module_use,
    retained_graphs,
    return_device,
    torch_names,
    transfers,
    uncalled,
    unused_results,
    zero_grad,
)
from devls.engine.driver import device_meetings, logging_functions
from devls.engine.evidence import (
    argument_facts,
    batch_provenance,
    cli_defaults,
    global_writes,
    hidden_modules,
    method_effects,
    opaque_models,
    unseen_effects,
)
from devls.engine.python import attribute_writes, attributes, calls, expressions, instances, statements
from devls.engine.torch import checkpoints, data, unknown_calls, unknown_values
from devls.engine.torch.nn import attributes as module_attributes
from devls.engine.torch.nn import construction, instance_calls, registry
from devls.engine.torch.tensors import attributes as tensor_attributes
from devls.engine.torch.tensors import (
    device_check,
    host,
    indexing,
    numpy_dtypes,
    operations,
    operators,
    shapes,
)
