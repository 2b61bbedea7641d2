"""Behaviours of a CUDA device, one by one, on the stand-in.

Each row: name, code, and either the value `r` has afterwards or the error, with a pattern for its text.
Texts come from torch's own format strings; nothing here was seen on a GPU.
"""

from __future__ import annotations

from typing import NamedTuple

SAME = "Expected all tensors to be on the same device"


class Case(NamedTuple):
    name: str
    code: str
    value: object = None
    raises: str = ""
    pattern: str = ""


CASES = [
    Case(
        "mix add",
        "a = torch.ones(2, device='cuda')\nr = a + torch.ones(2)",
        raises="RuntimeError",
        pattern=SAME + ", but found at least two devices, cuda:0 and cpu!",
    ),
    Case(
        "mix add rev",
        "a = torch.ones(2, device='cuda')\nr = torch.ones(2) + a",
        raises="RuntimeError",
        pattern=SAME + ", but found at least two devices, cuda:0 and cpu!",
    ),
    Case(
        "0dim cpu ok",
        "a = torch.ones(2, device='cuda')\nr = str((a + torch.tensor(1.0)).device)",
        value="cuda:0",
    ),
    Case(
        "0dim cuda + cpu vec",
        "a = torch.ones((), device='cuda')\nr = a + torch.ones(2)",
        raises="RuntimeError",
        pattern=SAME,
    ),
    Case(
        "0dim cpu alone, out on cuda",
        "torch.exp(torch.tensor(1.0), out=torch.ones(2, device='cuda'))",
        raises="RuntimeError",
        pattern=SAME + ", but found at least two devices, cuda:0 and cpu!",
    ),
    Case(
        "0dim cpu and another, out on cuda",
        "a = torch.ones(2, device='cuda')\nr = str(torch.add(a, torch.tensor(1.0), out=a).device)",
        value="cuda:0",
    ),
    Case(
        "inplace cpu += cuda0d",
        "a = torch.ones((), device='cuda')\nb = torch.ones(2)\nb += a",
        raises="RuntimeError",
        pattern=SAME,
    ),
    Case(
        "mm mix",
        "r = torch.ones(2, 2, device='cuda') @ torch.ones(2, 2)",
        raises="RuntimeError",
        pattern=SAME
        + ", but got mat2 is on cpu, different from other tensors on cuda:0 \\(when checking argument in method wrapper_CUDA_mm\\)",
    ),
    Case(
        "linear mix",
        "m = nn.Linear(2, 2).to('cuda')\nr = m(torch.ones(3, 2))",
        raises="RuntimeError",
        pattern=SAME + ", but got mat1 is on cpu.*wrapper_CUDA_addmm",
    ),
    Case(
        "linear ok",
        "m = nn.Linear(2, 2).to('cuda')\nr = str(m(torch.ones(3, 2, device='cuda')).device)",
        value="cuda:0",
    ),
    Case(
        "linear cpu model cuda in",
        "m = nn.Linear(2, 2)\nr = m(torch.ones(3, 2, device='cuda'))",
        raises="RuntimeError",
        pattern=SAME,
    ),
    Case(
        "conv mix",
        "m = nn.Conv2d(1, 1, 1).to('cuda')\nr = m(torch.ones(1, 1, 2, 2))",
        raises="RuntimeError",
        pattern="Input type .*FloatTensor.* and weight type .*cuda.FloatTensor.* should be the same",
    ),
    Case(
        "conv ok",
        "m = nn.Conv2d(1, 1, 1).to('cuda')\nr = str(m(torch.ones(1, 1, 2, 2, device='cuda')).device)",
        value="cuda:0",
    ),
    Case(
        "cat mix",
        "r = torch.cat([torch.ones(2, device='cuda'), torch.ones(2)])",
        raises="RuntimeError",
        pattern=SAME,
    ),
    Case(
        "cat mix rev",
        "r = torch.cat([torch.ones(2), torch.ones(2, device='cuda')])",
        raises="RuntimeError",
        pattern=SAME,
    ),
    Case(
        "stack mix",
        "r = torch.stack([torch.ones(2, device='cuda'), torch.ones(2)])",
        raises="RuntimeError",
        pattern=SAME,
    ),
    Case(
        "where ok 0dim",
        "a = torch.ones(2, device='cuda')\nr = str(torch.where(a > 0, a, torch.tensor(0.0)).device)",
        value="cuda:0",
    ),
    Case(
        "where mix",
        "a = torch.ones(2, device='cuda')\nr = torch.where(a > 0, a, torch.zeros(2))",
        raises="RuntimeError",
        pattern="same device",
    ),
    Case(
        "idx cuda by cpu ok",
        "a = torch.ones(3, device='cuda')\nr = str(a[torch.tensor([0, 1])].device)",
        value="cuda:0",
    ),
    Case(
        "idx cuda by cpu mask ok",
        "a = torch.ones(3, device='cuda')\nr = str(a[torch.tensor([True, False, True])].device)",
        value="cuda:0",
    ),
    Case(
        "idx cpu by cuda",
        "a = torch.ones(3)\nr = a[torch.tensor([0], device='cuda')]",
        raises="RuntimeError",
        pattern="indices should be either on cpu or on the same device as the indexed tensor \\(cpu\\)",
    ),
    Case(
        "setitem scalar",
        "a = torch.ones(3, device='cuda')\na[torch.tensor([0])] = 5.0\nr = a.tolist()",
        value=[5.0, 1.0, 1.0],
    ),
    Case(
        "index_select cpu idx",
        "a = torch.ones(3, device='cuda')\nr = a.index_select(0, torch.tensor([0]))",
        raises="RuntimeError",
        pattern=SAME + ".*index is on cpu.*wrapper_CUDA__index_select",
    ),
    Case(
        "gather cpu idx",
        "a = torch.ones(3, device='cuda')\nr = a.gather(0, torch.tensor([0]))",
        raises="RuntimeError",
        pattern=SAME + ".*wrapper_CUDA_gather",
    ),
    Case(
        "masked_select",
        "a = torch.ones(3, device='cuda')\nr = a.masked_select(torch.tensor([True, False, True]))",
        raises="RuntimeError",
        pattern=SAME,
    ),
    Case(
        "embedding cpu idx",
        "m = nn.Embedding(4, 2).to('cuda')\nr = m(torch.tensor([1]))",
        raises="RuntimeError",
        pattern=SAME + ".*index is on cpu.*index_select",
    ),
    Case(
        "lstm ok",
        "m = nn.LSTM(2, 3).to('cuda')\no, _ = m(torch.ones(4, 1, 2, device='cuda'))\nr = str(o.device)",
        value="cuda:0",
    ),
    Case(
        "lstm in cpu",
        "m = nn.LSTM(2, 3).to('cuda')\no, _ = m(torch.ones(4, 1, 2))",
        raises="RuntimeError",
        pattern="Input and (parameter|hidden) tensors are not at the same device, found input tensor at cpu and (parameter|hidden) tensor at cuda:0",
    ),
    Case(
        "lstm hx cpu",
        "m = nn.LSTM(2, 3).to('cuda')\nh = (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))\no, _ = m(torch.ones(4, 1, 2, device='cuda'), h)",
        raises="RuntimeError",
        pattern="Input and hidden tensors are not at the same device, found input tensor at cuda:0 and hidden tensor at cpu",
    ),
    Case(
        "ce target cpu",
        "x = torch.ones(2, 3, device='cuda')\nr = F.cross_entropy(x, torch.tensor([0, 1]))",
        raises="RuntimeError",
        pattern=SAME + ".*target is on cpu.*nll_loss",
    ),
    Case(
        "ce weight cpu",
        "x = torch.ones(2, 3, device='cuda')\nc = nn.CrossEntropyLoss(weight=torch.ones(3))\nr = c(x, torch.tensor([0, 1], device='cuda'))",
        raises="RuntimeError",
        pattern=SAME + ".*weight is on cpu.*nll_loss",
    ),
    Case(
        "mse mix",
        "x = torch.ones(2, 3, device='cuda')\nr = F.mse_loss(x, torch.ones(2, 3))",
        raises="RuntimeError",
        pattern=SAME,
    ),
    Case(
        "numpy",
        "r = torch.ones(2, device='cuda').numpy()",
        raises="TypeError",
        pattern="can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu\\(\\) to copy the tensor to host memory first.",
    ),
    Case(
        "np.asarray",
        "import numpy as np\nr = np.asarray(torch.ones(2, device='cuda'))",
        raises="TypeError",
        pattern="can't convert cuda:0 device type tensor to numpy",
    ),
    Case("cpu numpy", "r = torch.ones(2, device='cuda').cpu().numpy().tolist()", value=[1.0, 1.0]),
    Case(
        "numpy grad",
        "r = torch.ones(2, requires_grad=True).numpy()",
        raises="RuntimeError",
        pattern="Can't call numpy\\(\\) on Tensor that requires grad. Use tensor.detach\\(\\).numpy\\(\\) instead.",
    ),
    Case("item", "r = torch.ones(2, device='cuda').sum().item()", value=2.0),
    Case("bool ctrl", "a = torch.ones(2, device='cuda').sum()\nr = 1 if a > 1 else 0", value=1),
    Case("tolist", "r = torch.ones(2, device='cuda').tolist()", value=[1.0, 1.0]),
    Case("to same is self", "a = torch.ones(2, device='cuda')\nr = a.to('cuda') is a", value=True),
    Case("device str", "r = str(torch.ones(2, device='cuda').device)", value="cuda:0"),
    Case("is_cuda", "r = torch.ones(2, device='cuda').is_cuda", value=True),
    Case("eq str", "r = torch.ones(2, device='cuda').device == 'cuda'", value=False),
    Case(
        "backward",
        "a = torch.ones(2, device='cuda', requires_grad=True)\n(a * 2).sum().backward()\nr = (str(a.grad.device), a.grad.tolist())",
        value=("cuda:0", [2.0, 2.0]),
    ),
    Case(
        "nonleaf via to",
        "a = torch.ones(2, requires_grad=True).to('cuda')\nr = (a.is_leaf, type(a.grad_fn).__name__)",
        value=(False, "ToCopyBackward0"),
    ),
    Case(
        "grad flows to cpu leaf",
        "p = torch.ones(2, requires_grad=True)\n(p.to('cuda') * 2).sum().backward()\nr = (str(p.grad.device), p.grad.tolist())",
        value=("cpu", [2.0, 2.0]),
    ),
    Case(
        "linear backward",
        "m = nn.Linear(2, 1).to('cuda')\nm(torch.ones(3, 2, device='cuda')).sum().backward()\nr = str(m.weight.grad.device)",
        value="cuda:0",
    ),
    Case(
        "backward twice",
        "m = nn.Linear(2, 1).to('cuda')\nl = m(torch.ones(3, 2, device='cuda')).pow(2).sum()\nl.backward()\nl.backward()",
        raises="RuntimeError",
        pattern="Trying to backward through the graph a second time",
    ),
    Case(
        "inplace leaf",
        "a = torch.ones(2, device='cuda', requires_grad=True)\na += 1",
        raises="RuntimeError",
        pattern="a leaf Variable that requires grad is being used in an in-place operation",
    ),
    Case(
        "saved modified",
        "a = torch.ones(2, device='cuda', requires_grad=True)\nb = a.exp()\nb += 1\nb.sum().backward()",
        raises="RuntimeError",
        pattern="one of the variables needed for gradient computation has been modified by an inplace operation: \\[torch.cuda.FloatTensor \\[2\\]\\], which is output 0 of \\w+, is at version 1; expected version 0 instead",
    ),
    Case(
        "sgd step",
        "m = nn.Linear(2, 1).to('cuda')\no = torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9)\nm(torch.ones(3, 2, device='cuda')).sum().backward()\nw = m.weight.detach().clone()\no.step()\nr = bool((w != m.weight).all())",
        value=True,
    ),
    Case(
        "adam step",
        "m = nn.Linear(2, 1).to('cuda')\no = torch.optim.Adam(m.parameters())\nm(torch.ones(3, 2, device='cuda')).sum().backward()\nw = m.weight.detach().clone()\no.step()\nr = bool((w != m.weight).all())",
        value=True,
    ),
    Case(
        "module.to identity",
        "m = nn.Linear(2, 2)\nw = m.weight\nm.to('cuda')\nr = (w is m.weight, str(w.device), w.is_leaf, isinstance(w, nn.Parameter))",
        value=(True, "cuda:0", True, True),
    ),
    Case(
        "a Variable stays where its data are",
        "x = torch.ones(2, device='cuda')\nv = torch.autograd.Variable(x, requires_grad=True)\n"
        "r = (str(v.device), v.requires_grad, v.is_leaf, x.requires_grad, isinstance(v, torch.autograd.Variable))",
        value=("cuda:0", True, True, False, True),
    ),
    Case("module.to returns self", "m = nn.Linear(2, 2)\nr = m.to('cuda') is m", value=True),
    Case(
        "opt before .to",
        "m = nn.Linear(2, 1)\no = torch.optim.SGD(m.parameters(), lr=0.1)\nm.to('cuda')\nm(torch.ones(3, 2, device='cuda')).sum().backward()\nw = m.weight.detach().clone()\no.step()\nr = bool((w != m.weight).all())",
        value=True,
    ),
    Case(
        "module.to after fwd/bwd",
        "m = nn.Linear(2, 1)\nl = m(torch.ones(3, 2)).sum()\nl.backward()\nw = m.weight\nm.to('cuda')\nr = (w is m.weight, str(m.weight.grad.device))",
        value=(True, "cuda:0"),
    ),
    Case("buffer moves", "m = nn.BatchNorm1d(2).to('cuda')\nr = str(m.running_mean.device)", value="cuda:0"),
    Case(
        "batchnorm fwd",
        "m = nn.BatchNorm1d(2).to('cuda')\nr = str(m(torch.ones(3, 2, device='cuda')).device)",
        value="cuda:0",
    ),
    Case(
        "plain attr stays",
        "m = nn.Module()\nm.t = torch.ones(2)\nm.to('cuda')\nr = str(m.t.device)",
        value="cpu",
    ),
    Case(
        "set grad wrong dev",
        "a = torch.ones(2, device='cuda', requires_grad=True)\na.grad = torch.ones(2)",
        raises="RuntimeError",
        pattern="assigned grad has data of a different type|same device|device",
    ),
    Case(
        "two gpus",
        "r = torch.ones(2, device='cuda') + torch.ones(2, device='cuda:1')",
        raises="RuntimeError",
        pattern=SAME + ", but found at least two devices, cuda:0 and cuda:1!",
    ),
    Case(
        "copy_ cross ok",
        "a = torch.zeros(2, device='cuda')\na.copy_(torch.ones(2))\nr = a.tolist()",
        value=[1.0, 1.0],
    ),
    Case(
        "like dev",
        "a = torch.zeros(2, device='cuda')\nr = (str(torch.ones_like(a).device), str(a.new_zeros(3).device))",
        value=("cuda:0", "cuda:0"),
    ),
    Case(
        "view grad",
        "a = torch.ones(4, device='cuda', requires_grad=True)\na.view(2, 2).sum().backward()\nr = a.grad.tolist()",
        value=[1.0, 1.0, 1.0, 1.0],
    ),
    Case(
        "mha",
        "m = nn.MultiheadAttention(4, 2, batch_first=True).to('cuda')\nx = torch.ones(1, 3, 4, device='cuda')\no, _ = m(x, x, x)\no.sum().backward()\nr = (str(o.device), str(m.in_proj_weight.grad.device))",
        value=("cuda:0", "cuda:0"),
    ),
    Case(
        "dropout ln",
        "m = nn.Sequential(nn.LayerNorm(4), nn.Dropout(), nn.GELU()).to('cuda')\no = m(torch.ones(2, 4, device='cuda'))\no.sum().backward()\nr = str(o.device)",
        value="cuda:0",
    ),
    Case(
        "sdpa mask cpu",
        "q = torch.ones(1, 1, 2, 4, device='cuda')\nr = F.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(2, 2, dtype=torch.bool))",
        raises="RuntimeError",
        pattern="same device|device",
    ),
    Case(
        "manual seed gen",
        "g = torch.Generator()\nr = torch.randn(2, device='cuda', generator=g)",
        raises="RuntimeError",
        pattern="Expected a 'cuda' device type for generator but found 'cpu'",
    ),
    Case(
        "bucketize mix",
        "r = torch.bucketize(torch.ones(2, device='cuda'), torch.ones(3))",
        raises="RuntimeError",
        pattern="same device",
    ),
    Case(
        "isin mix",
        "r = torch.isin(torch.ones(2, device='cuda'), torch.ones(3))",
        raises="RuntimeError",
        pattern="same device",
    ),
    Case(
        "grad accumulate",
        "m = nn.Linear(2, 1).to('cuda')\n[m(torch.ones(3, 2, device='cuda')).sum().backward() for _ in range(2)]\nr = m.bias.grad.tolist()",
        value=[6.0],
    ),
    Case(
        "clip_grad",
        "m = nn.Linear(2, 1).to('cuda')\nm(torch.ones(3, 2, device='cuda')).sum().backward()\nn = nn.utils.clip_grad_norm_(m.parameters(), 1.0)\nr = str(n.device)",
        value="cuda:0",
    ),
    Case(
        "state_dict load",
        "m = nn.Linear(2, 1).to('cuda')\nm.load_state_dict(nn.Linear(2, 1).state_dict())\nr = str(m.weight.device)",
        value="cuda:0",
    ),
    Case(
        "deepcopy of a part",
        """import copy
a = torch.arange(6.0, device='cuda').view(2, 3)[1].requires_grad_()
made = copy.deepcopy({'a': a, 'again': a})
r = (made['a'].tolist(), made['a'].requires_grad, str(made['a'].device), made['a'] is made['again'])""",
        value=([3.0, 4.0, 5.0], True, "cuda:0", True),
    ),
    Case(
        "deepcopy",
        "import copy\nm = nn.Linear(2, 1).to('cuda')\nn = copy.deepcopy(m)\nr = str(n.weight.device)",
        value="cuda:0",
    ),
    Case(
        "no_grad",
        "a = torch.ones(2, device='cuda', requires_grad=True)\nwith torch.no_grad():\n    b = a * 2\nr = (b.requires_grad, str(b.device))",
        value=(False, "cuda:0"),
    ),
    Case(
        "set default device",
        "torch.set_default_device('cuda')\nr = str(torch.ones(2).device)\ntorch.set_default_device('cpu')",
        value="cuda:0",
    ),
    Case(
        "data under a default device",
        """import numpy
torch.set_default_device('cuda')
made = [torch.tensor([1.0]), torch.as_tensor([1.0]), torch.asarray([1.0]), torch.as_tensor(numpy.ones(2))]
kept = [torch.from_numpy(numpy.ones(2)), torch.as_tensor(torch.ones(2, device='cpu'))]
torch.set_default_device('cpu')
r = [str(each.device) for each in (*made, *kept)]""",
        value=["cuda:0"] * 4 + ["cpu", "cuda:0"],
    ),
    Case(
        "inference mode, itself",
        """a = torch.ones(3, device='cuda', requires_grad=True) + 0
with torch.inference_mode():
    made = [a.float(), a.to('cuda'), a.contiguous(), F.dropout(a, 0.5, False)]
r = [each is a for each in made]""",
        value=[True] * 4,
    ),
    Case(
        "inference mode, views",
        """a = torch.ones(3, 3, device='cuda', requires_grad=True) + 0
with torch.inference_mode():
    made = [a.view(9), a.expand_as(a), a.reshape(9), a[0], a.detach(), a * 2]
r = [(each.requires_grad, each.is_inference()) for each in made]""",
        value=[(True, False)] * 4 + [(False, False), (False, True)],
    ),
    Case("with device", "with torch.device('cuda'):\n    r = str(torch.ones(2).device)", value="cuda:0"),
    Case(
        "stack says cat",
        "torch.stack([torch.ones(2, device='cuda'), torch.ones(2)])",
        raises="RuntimeError",
        pattern=SAME + ", but got tensors is on cpu, .*wrapper_CUDA_cat\\)",
    ),
    Case(
        "masked_scatter says masked_scatter_, of a CPU scalar as well",
        "a = torch.ones((), device='cuda')\na.masked_scatter(a > 0, torch.ones(()))",
        raises="RuntimeError",
        pattern=SAME + ", but got source is on cpu, .*wrapper_CUDA__masked_scatter_\\)",
    ),
    Case(
        "masked_fill cpu mask",
        "torch.ones(2, device='cuda').masked_fill(torch.tensor([True, False]), 0.0)",
        raises="RuntimeError",
        pattern="expected self and mask to be on the same device, but got mask on cpu and self on cuda:0",
    ),
    Case(
        "pad_sequence copies each",
        """from torch.nn.utils.rnn import pad_sequence
c, d = torch.ones(2), torch.ones(3, device='cuda')
r = [str(pad_sequence(each).device) for each in ([c, d], [d, c])]""",
        value=["cpu", "cuda:0"],
    ),
    Case(
        "pack lengths on cuda",
        "nn.utils.rnn.pack_padded_sequence(torch.ones(2, 1, 1, device='cuda'), torch.tensor([2], device='cuda'))",
        raises="RuntimeError",
        pattern="'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor",
    ),
    Case(
        "put cpu values at an index",
        "x = torch.zeros(3, device='cuda'); x[torch.tensor([0, 1])] = torch.ones(2)",
        raises="RuntimeError",
        pattern="expected device cuda:0 but got device cpu for value tensor",
    ),
    Case(
        "put cpu values in a slice",
        "x = torch.zeros(3, device='cuda'); x[1:] = torch.ones(2); r = x.tolist()",
        [0.0, 1.0, 1.0],
    ),
    Case(
        "view_as asks for the shape",
        "r = str(torch.ones(4, device='cuda').view_as(torch.ones(2, 2)).device)",
        "cuda:0",
    ),
    Case(
        "no such device",
        "torch.ones(1, device='cuda:7')",
        raises="AcceleratorError",
        pattern="invalid device ordinal",
    ),
    Case(
        "new_tensor",
        "t = torch.ones(1, device='cuda').new_tensor([1, 2]); r = (str(t.device), t.tolist())",
        ("cuda:0", [1.0, 2.0]),
    ),
    Case("new_tensor elsewhere", "r = str(torch.ones(1).new_tensor([1], device='cuda').device)", "cuda:0"),
    Case(
        "tensor of scalars",
        "x = torch.tensor([torch.ones((), device='cuda'), torch.zeros((), device='cuda')]); r = (str(x.device), x.tolist())",
        ("cpu", [1.0, 0.0]),
    ),
    Case(
        "gru",
        "m = nn.GRU(2, 3).to('cuda'); o, h = m(torch.ones(4, 1, 2, device='cuda')); r = (str(o.device), h.shape[2])",
        ("cuda:0", 3),
    ),
    Case(
        "repr",
        "r = repr(torch.ones(1, device='cuda', requires_grad=True))",
        "tensor([1.], device='cuda:0', requires_grad=True)",
    ),
    Case(
        "pin_memory",
        "torch.ones(1, device='cuda').pin_memory()",
        raises="RuntimeError",
        pattern="cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned",
    ),
    Case(
        "saved and loaded",
        "import io; f = io.BytesIO(); torch.save({'m': nn.Linear(2, 3).to('cuda').state_dict()}, f); f.seek(0);"
        " r = str(torch.load(f, weights_only=True)['m']['weight'].device)",
        "cuda:0",
    ),
]
