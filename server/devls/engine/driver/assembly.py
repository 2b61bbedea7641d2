"""The engine put together: importing this has every floor register what it knows.

Lower floors ask questions and announce moments without knowing who answers or listens (`core/questions.py`,
`core/moments.py`). Each module that registers something is named here; a test holds the list complete. Checks hear of a
moment in the order in which they are imported.
"""

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
from devls.engine.evidence import unseen_effects

REGISTERED = (
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
    device_meetings,
    logging_functions,
    unseen_effects,
)
