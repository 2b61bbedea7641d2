import torch

from builder import ModelConfig, checkpoint, empty_model


class Server:
    def __init__(self, cfg, weights):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = empty_model(cfg).to(self.device)
        state = torch.load(weights, map_location="cpu", weights_only=True)
        self.model.load_state_dict(state)
        self.model.eval()

    @torch.inference_mode()
    def generate(self, prompt, length=8, temperature=0.9):
        ids = torch.tensor([prompt], device=self.device)
        for _ in range(length):
            logits = self.model(ids)[:, -1] / temperature
            nxt = torch.multinomial(logits.softmax(-1), 1)
            ids = torch.cat([ids, nxt], dim=1)
        return ids[0].tolist()


if __name__ == "__main__":
    torch.manual_seed(0)
    cfg = ModelConfig()
    server = Server(cfg, checkpoint(cfg))
    for prompt in ([1, 5, 9], [7, 2]):
        print(server.generate(prompt))
