function slot() {
  const shared = globalThis;
  if (!shared.__policypalComposer) {
    let resolve = () => void 0;
    const ready = new Promise((done) => resolve = done);
    shared.__policypalComposer = { ready, resolve };
  }
  return shared.__policypalComposer;
}
const PATIENCE_MS = 2e4;
function tooLate() {
  const problem = new Error("The message field could not be loaded. Please reload the page.");
  return new Promise((_, reject) => setTimeout(() => reject(problem), PATIENCE_MS));
}
async function mount(component) {
  const mountComposer = await Promise.race([slot().ready, tooLate()]);
  return mountComposer(component);
}
export {
  mount as default
};
