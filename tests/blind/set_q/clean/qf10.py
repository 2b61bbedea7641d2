import torch
from torch.autograd import Function, gradcheck, gradgradcheck
from torch.autograd.function import once_differentiable


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x ** 2


class InplaceShift(Function):
    @staticmethod
    def forward(ctx, x, amount):
        ctx.mark_dirty(x)
        return x.add_(amount)

    @staticmethod
    def backward(ctx, g):
        return g, None


class TopPart(Function):
    @staticmethod
    def forward(ctx, x, k):
        values, idx = x.topk(k, dim=-1)
        ctx.save_for_backward(idx)
        ctx.mark_non_differentiable(idx)
        ctx.shape = x.shape
        return values, idx

    @staticmethod
    @once_differentiable
    def backward(ctx, g, _):
        idx, = ctx.saved_tensors
        out = g.new_zeros(ctx.shape)
        return out.scatter_(-1, idx, g), None


class Sparsemax(Function):
    @staticmethod
    def forward(ctx, z):
        srt, _ = z.sort(-1, descending=True)
        k = torch.arange(1, z.shape[-1] + 1, dtype=z.dtype, device=z.device)
        cum = srt.cumsum(-1)
        size = (1 + k * srt > cum).sum(-1, keepdim=True)
        tau = (cum.gather(-1, size - 1) - 1) / size
        out = (z - tau).clamp(min=0)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, g):
        out, = ctx.saved_tensors
        support = (out > 0).to(g.dtype)
        mean = (g * support).sum(-1, keepdim=True) / support.sum(-1, keepdim=True)
        return support * (g - mean)


def shifted(x):
    return InplaceShift.apply(x.clone(), 2.0)


def main():
    torch.manual_seed(0)
    x = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
    results = {
        "cube": gradcheck(Cube.apply, (x,)) and gradgradcheck(Cube.apply, (x,)),
        "shift": gradcheck(shifted, (x,)),
        "top": gradcheck(lambda t: TopPart.apply(t, 2)[0], (x,)),
        "sparsemax": gradcheck(Sparsemax.apply, (x,)),
    }
    y = Cube.apply(x)
    first, = torch.autograd.grad(y.sum(), x, create_graph=True)
    second, = torch.autograd.grad(first.sum(), x)
    print(results, torch.allclose(second, 6 * x.detach()))


if __name__ == "__main__":
    main()
