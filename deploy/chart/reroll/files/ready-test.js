// Every pod behind a name says that it is ready, and there are as many as there should be. Tried for a minute.
const { lookup } = require('node:dns').promises;
const [host, expected] = process.argv.slice(1);
const port = 9090;

// By lookup, as resolve4 and resolve6 leave out the search domains, by which the name is one of the cluster.
async function addresses() {
  const all = await lookup(host, { all: true }).catch(() => []);
  return all.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
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
