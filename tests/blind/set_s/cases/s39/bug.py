import torch
import torch.nn as nn
import torch.nn.functional as F


class FakeQuantize(torch.autograd.Function):
    """Uniform quantisation whose gradient passes inside the range."""

    @staticmethod
    def forward(ctx, x, scale, bits):
        limit = 2 ** (bits - 1) - 1
        q = torch.round(x / scale)
        ctx.save_for_backward((q.abs() <= limit))
        return q.clamp(-limit, limit) * scale

    @staticmethod
    def backward(ctx, grad_out):
        (inside,) = ctx.saved_tensors
        return grad_out * inside, None


class QuantLinear(nn.Linear):
    def __init__(self, in_features, out_features, bits=8, bias=True):
        super().__init__(in_features, out_features, bias=bias)
        self.bits = bits
        self.register_buffer("act_scale", torch.tensor(0.05))

    def weight_scale(self):
        return self.weight.detach().abs().amax() / (2 ** (self.bits - 1) - 1)

    @torch.no_grad()
    def calibrate(self, x):
        self.act_scale.copy_(x.abs().amax() / (2 ** (self.bits - 1) - 1))

    def forward(self, x):
        w = FakeQuantize.apply(self.weight, self.weight_scale(), self.bits)
        x = FakeQuantize.apply(x, self.act_scale, self.bits)
        return F.linear(x, w, self.bias)


def quantize_model(model, bits=8):
    for name, child in model.named_children():
        if isinstance(child, nn.Linear):
            quant = QuantLinear(child.in_features, child.out_features, bits, child.bias is not None)
            quant.load_state_dict(child.state_dict(), strict=False)
            setattr(model, name, quant)
        else:
            quantize_model(child, bits)
    return model
