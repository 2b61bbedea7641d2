"""One module per rule; its page lies beside it."""

from __future__ import annotations

from importlib import import_module
from typing import Final

# Named one by one: listing a package needs the file system, which a zipped or
# bundled installation answers slowly or not at all.
MODULES: Final = (
    "autograd.backward_on_non_scalar",
    "autograd.backward_twice",
    "autograd.backward_without_graph",
    "autograd.checkpoint_reentrant",
    "autograd.copy_of_graph_tensor",
    "autograd.create_graph_backward",
    "autograd.custom_function",
    "autograd.data_attribute",
    "autograd.deepcopy_of_graph",
    "autograd.detach_in_place_on_view",
    "autograd.discarded_result",
    "autograd.frozen_in_vain",
    "autograd.grad_kept_alive",
    "autograd.grad_mode_without_effect",
    "autograd.grad_of_non_leaf",
    "autograd.gradient_always_zero",
    "autograd.graph_cut_hidden",
    "autograd.hidden_state_carried",
    "autograd.hook_without_grad",
    "autograd.inference_tensor_in_autograd",
    "autograd.inplace_breaks_backward",
    "autograd.inplace_on_leaf",
    "autograd.inplace_on_view",
    "autograd.integer_requires_grad",
    "autograd.missing_detach",
    "autograd.numpy_on_grad",
    "autograd.optimizer_parameters",
    "autograd.parameter_rebound",
    "autograd.state_dict_flag",
    "comments.unknown_rule",
    "comments.unused_ignore",
    "device.current_card_taken",
    "device.data_parallel_device",
    "device.default_device_trap",
    "device.device_compared_wrongly",
    "device.discarded_transfer",
    "device.generator_device",
    "device.hard_coded_device",
    "device.host_read_on_device",
    "device.input_off_module_device",
    "device.invalid_device",
    "device.layer_created_in_forward",
    "device.leaf_lost_by_transfer",
    "device.legacy_device_api",
    "device.lengths_on_accelerator",
    "device.load_without_map_location",
    "device.meta_transfer",
    "device.mixed_devices",
    "device.module_move_taken_for_copy",
    "device.no_such_torch_name",
    "device.optimizer_before_move",
    "device.parameter_lost_by_transfer",
    "device.pinned_accelerator_tensor",
    "device.result_off_device",
    "device.stale_after_move",
    "device.tensor_created_off_device",
    "device.transfer_in_loop",
    "device.unregistered_module",
    "device.unregistered_tensor",
    "training.accumulated_not_averaged",
    "training.activation_before_loss",
    "training.amp_protocol",
    "training.eval_keeps_graph",
    "training.eval_mode_forgotten",
    "training.eval_mode_mixed_up",
    "training.forward_called_directly",
    "training.gradients_cleared_too_early",
    "training.loss_class_called",
    "training.method_not_called",
    "training.missing_zero_grad",
    "training.module_not_initialized",
    "training.scheduler_before_optimizer",
)


def load() -> None:
    """Import every rule, so that each registers itself. Cheap when repeated."""
    for module in MODULES:
        import_module(f"{__name__}.{module}")
