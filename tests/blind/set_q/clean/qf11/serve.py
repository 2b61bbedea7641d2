import asyncio

import numpy as np
import torch

from worker import MicroBatcher, Predictor


async def client(batcher, i):
    await asyncio.sleep(0.001 * (i % 3))
    x = np.full((4,), i / 10, dtype=np.float32)
    return await batcher.submit(x)


async def run(n):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    batcher = MicroBatcher(Predictor(device), max_batch=5, wait=0.005)
    task = asyncio.create_task(batcher.loop())
    out = await asyncio.gather(*(client(batcher, i) for i in range(n)))
    batcher.close()
    await task
    return out


if __name__ == "__main__":
    answers = asyncio.run(run(12))
    print(len(answers), answers[0])
