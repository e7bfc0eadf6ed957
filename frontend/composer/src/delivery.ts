/**
 * A submission reaches Python exactly once. The browser keeps it until Python has named its nonce as received and sends it
 * again if that does not happen: a script run can be ended before it reaches the composer, and a connection can be lost.
 * Python ignores a nonce it has seen.
 */

import type { SubmissionPayload } from "./types";

const FIRST_WAIT_MS = 6_000;
const MOST_ATTEMPTS = 4;

interface Waiting {
  payload: SubmissionPayload;
  attempts: number;
  due: number;
}

export class Outbox {
  private waiting: Waiting[] = [];
  private timer: number | undefined;
  private send: (payload: SubmissionPayload) => void = () => undefined;
  private lost: (payload: SubmissionPayload) => void = () => undefined;

  /** The component is on the page (again). */
  connect(send: (payload: SubmissionPayload) => void, lost: (payload: SubmissionPayload) => void): void {
    this.send = send;
    this.lost = lost;
    this.schedule();
  }

  disconnect(): void {
    window.clearTimeout(this.timer);
  }

  post(payload: SubmissionPayload): void {
    this.waiting.push({ payload, attempts: 1, due: Date.now() + FIRST_WAIT_MS });
    this.send(payload);
    this.schedule();
  }

  acknowledge(nonces: readonly string[]): void {
    this.waiting = this.waiting.filter((waiting) => !nonces.includes(waiting.payload.nonce));
    this.schedule();
  }

  private schedule(): void {
    window.clearTimeout(this.timer);
    const next = this.waiting[0];
    if (next) this.timer = window.setTimeout(() => this.retry(next), Math.max(0, next.due - Date.now()));
  }

  private retry(waiting: Waiting): void {
    if (waiting.attempts >= MOST_ATTEMPTS) {
      this.waiting = this.waiting.filter((other) => other !== waiting);
      this.lost(waiting.payload);
    } else {
      waiting.due = Date.now() + FIRST_WAIT_MS * 2 ** waiting.attempts;
      waiting.attempts += 1;
      this.send(waiting.payload);
    }
    this.schedule();
  }
}

/** Not ``crypto.randomUUID``: browsers offer that on https and localhost only. */
export function newNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
