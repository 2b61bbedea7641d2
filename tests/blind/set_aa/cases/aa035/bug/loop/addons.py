import torch

from .events import Event


def attach_clipping(loop, max_norm):
    @loop.bus.on(Event.BACKWARD_DONE)
    def clip(model):
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)


def attach_clearing(loop):
    @loop.bus.on(Event.BACKWARD_DONE)
    def clear(model):
        model.zero_grad(set_to_none=True)


def attach_history(loop, store):
    @loop.bus.on(Event.FORWARD_DONE)
    def note(loss):
        store.append(loss.item())
