import torch


@torch.inference_mode()
def embed(model, batches):
    model.eval()
    device = next((p.device for p in model.parameters()), torch.device("cpu"))
    return torch.cat([model(b.to(device)).cpu() for b in batches])
