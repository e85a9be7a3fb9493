/* global AbortController, TextDecoderStream */
import { refusalIn } from './calls.js';

const MOST_CHARACTERS = 500_000;

/** Shows the log of one training or packaging as it grows, until its end or until another one is shown. */
export function createLogView(target, { call, isCurrent }) {
  let following = new AbortController();

  async function follow(kind, id) {
    following.abort();
    following = new AbortController();
    const { signal } = following;
    target.textContent = `log of ${kind} ${id}\n`;
    target.scrollIntoView({ block: 'nearest' });
    const path = `api/v1/model/${kind}/${encodeURIComponent(id)}/log?follow=true&heartbeat=false`;
    const reply = await call(path, { signal });
    if (!reply.ok) return void (target.textContent += await refusalIn(reply));
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (!isCurrent()) return following.abort();
      target.textContent = (target.textContent + (value ?? '— end of the log —')).slice(-MOST_CHARACTERS);
      target.scrollTop = target.scrollHeight;
      if (done) return;
    }
  }

  return {
    show: (kind, id) =>
      follow(kind, id).catch((err) => {
        if (err.name !== 'AbortError') target.textContent += `\n${err}`; // another log is shown
      }),
    stop: () => following.abort(),
  };
}
