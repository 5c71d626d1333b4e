// Every pod behind a name says that it is ready, and there are as many as there should be. Tried for a minute.
const { resolve4, resolve6 } = require('node:dns').promises;
const [host, expected] = process.argv.slice(1);
const port = 9090;

async function addresses() {
  const [v4, v6] = await Promise.all([resolve4(host).catch(() => []), resolve6(host).catch(() => [])]);
  return [...v4, ...v6.map((address) => `[${address}]`)];
}

async function complaints() {
  const all = await addresses();
  if (all.length < Number(expected)) return [`${host} has ${all.length} pods, not ${expected}`];
  const answers = all.map(async (address) => {
    const response = await fetch(`http://${address}:${port}/readyz?verbose`).catch((error) => error);
    if (response.ok) return [];
    return [`${address}: ${response.status ? `${response.status} ${await response.text()}` : response.message}`];
  });
  return (await Promise.all(answers)).flat();
}

(async () => {
  for (let left = 30; ; left--) {
    const found = await complaints();
    if (found.length === 0) break;
    if (left === 0) {
      console.error(found.join('\n'));
      process.exit(1);
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  console.log('all are ready');
})();
