/** image_filter: geometry, formats, images refused with 415, error pages in their place, values from variables. */
import { createServer, type Server } from 'node:http';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Front, headerOf, ours, raw, statusOf } from '../support/front.ts';

const front = new Front();
let port = 0;
let back: Server;

/** An image with a red left, a green right half, and a blue stripe at the bottom. */
async function picture(width: number, height: number): Promise<Buffer> {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels[(y * width + x) * 3 + (y >= height * 0.8 ? 2 : x < width / 2 ? 0 : 1)] = 255;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

beforeAll(async () => {
  port = await freePort();
  const backPort = await freePort();
  const png = await picture(200, 100);
  front.write('a.png', png);
  front.write('a.jpg', await sharp(png).jpeg({ quality: 95 }).toBuffer());
  front.write('a.gif', await sharp(png).gif().toBuffer());
  front.write('a.webp', await sharp(png).webp().toBuffer());
  front.write('lossless.webp', await sharp(png).webp({ lossless: true }).toBuffer());
  const half = await sharp(png).ensureAlpha(0.5).toBuffer();
  front.write('alpha.webp', await sharp(half).webp().toBuffer());
  front.write('alpha.png', half);
  const square = { width: 20, height: 40, channels: 4 as const };
  const red = await sharp({ create: { ...square, background: 'red' } })
    .png()
    .toBuffer();
  const hole = await sharp({ create: { ...square, width: 40, background: '#0000' } })
    .composite([{ input: red, left: 20, top: 0 }])
    .gif()
    .toBuffer();
  front.write('hole.gif', hole);
  front.write(
    'exif.jpg',
    await sharp(png)
      .withExif({ IFD0: { ImageDescription: 'long '.repeat(500) } })
      .jpeg()
      .toBuffer(),
  );
  front.write('text.png', 'This is text, not an image of any kind.');
  front.write('broken.png', png.subarray(0, 60));
  front.write('short.png', 'GIF89a');
  // the header of a decompression bomb, without the bytes
  const bomb = Buffer.from(png);
  bomb.writeUInt32BE(30_000, 16);
  bomb.writeUInt32BE(30_000, 20);
  front.write('bomb.png', bomb);
  front.write('replacement.html', 'no image');
  back = createServer((req, res) => {
    const image = { '/a.png': png, '/text.png': Buffer.from('text of some length') }[req.url!];
    if (req.url === '/mixed') res.setHeader('Content-Type', 'multipart/x-mixed-replace; boundary=x');
    res.setHeader('ETag', '"tag"');
    // in two parts of unknown total length; nginx looks for the type in the first only
    res.write((image ?? png).subarray(0, 16));
    setImmediate(() => res.end((image ?? png).subarray(16)));
  }).listen(backPort, '127.0.0.1');
  front.config(`proxy_cache_path cache keys_zone=images:64k; types { image/png png; image/jpeg jpg; image/gif gif; image/webp webp; text/html html; } default_type text/plain;
    image_filter_buffer 100k;
    server { listen 127.0.0.1:${port}; root ${front.folder};
      location / { }
      location /test/ { alias ${front.folder}/; image_filter test; }
      location /size/ { alias ${front.folder}/; image_filter size; add_header X-Gone yes; }
      location /resize/ { alias ${front.folder}/; image_filter resize 50 40; }
      location /large/ { alias ${front.folder}/; image_filter resize 500 -; }
      location /crop/ { alias ${front.folder}/; image_filter crop 50 60; }
      location /turn/ { alias ${front.folder}/; image_filter rotate 90; }
      location /both/ { alias ${front.folder}/; image_filter resize 50 -; image_filter rotate 270; }
      location /turned-crop/ { alias ${front.folder}/; image_filter crop 30 40; image_filter rotate 180; }
      location /opaque/ { alias ${front.folder}/; image_filter resize 20 20; image_filter_transparency off; }
      location /progressive/ { alias ${front.folder}/; image_filter resize 50 50; image_filter_interlace on; image_filter_jpeg_quality 10;
        image_filter_sharpen 100; image_filter_webp_quality 1; }
      location /of/ { alias ${front.folder}/; image_filter resize $arg_w $arg_h; image_filter rotate $arg_angle; image_filter_jpeg_quality $arg_q; }
      location /page/ { alias ${front.folder}/; image_filter resize 50 40; error_page 415 =200 /replacement.html; }
      location /small/ { alias ${front.folder}/; image_filter resize 50 40; image_filter_buffer 10; }
      location /proxied/ { proxy_pass http://127.0.0.1:${backPort}/; image_filter resize 50 40; }
      location /cached/ { proxy_pass http://127.0.0.1:${backPort}/; proxy_cache images; proxy_cache_valid 1h; image_filter resize 50 40; }
      location /cached-size/ { proxy_pass http://127.0.0.1:${backPort}/; proxy_cache images; proxy_cache_valid 1h; image_filter size; }
      location /limited/ { proxy_pass http://127.0.0.1:${backPort}/; image_filter resize 50 40; image_filter_buffer 15; error_page 415 = @page; }
      location @page { return 200 "too large"; }
      location /plain/ { alias ${front.folder}/; image_filter test; location /plain/off/ { alias ${front.folder}/; image_filter off; } }
    }`);
  await front.start();
});
afterAll(async () => {
  back.close();
  await front.dispose();
});

const ask = (uri: string, method = 'GET'): Promise<string> => raw(port, `${method} ${uri} HTTP/1.0\r\nHost: localhost\r\n\r\n`);
const bodyBytes = (answer: string): Buffer => Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1');

/** `png 50x25` */
async function imageAt(uri: string): Promise<string> {
  const answer = await ask(uri);
  if (statusOf(answer) !== 200) return String(statusOf(answer));
  const body = bodyBytes(answer);
  expect(headerOf(answer, 'Content-Length')).toBe(String(body.length));
  const { format, width, height } = await sharp(body).metadata();
  expect(headerOf(answer, 'Content-Type')).toBe(`image/${format}`);
  return `${format} ${width}x${height}`;
}

/** The strongest colour at each position, given as fractions of the image. */
async function colours(uri: string, places: [number, number][]): Promise<string> {
  const { data, info } = await sharp(bodyBytes(await ask(uri)))
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return places
    .map(([x, y]) => {
      const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
      const rgb = [...data.subarray(at, at + 3)];
      return 'rgb'[rgb.indexOf(Math.max(...rgb))];
    })
    .join('');
}

describe('image_filter', () => {
  test('test passes images and refuses everything else', async () => {
    expect(bodyBytes(await ask('/test/a.jpg'))).toEqual(Buffer.from(front.read('a.jpg'), 'latin1'));
    for (const name of ['text.png', 'short.png', 'none.png']) expect(statusOf(await ask(`/test/${name}`))).toBe(415);
    expect(await ask('/test/text.png')).toContain('415 Unsupported Media Type</title>');
    expect(statusOf(await ask('/plain/off/text.png'))).toBe(200);
    expect(statusOf(await ask('/plain/text.png'))).toBe(415);
  });

  test('size responds with JSON', async () => {
    const json = async (name: string) => {
      const answer = await ask(`/size/${name}`);
      expect([statusOf(answer), headerOf(answer, 'Content-Type'), headerOf(answer, 'ETag')]).toEqual([200, 'application/json', undefined]);
      return String(bodyBytes(answer));
    };
    for (const [name, type] of Object.entries({
      'a.png': 'png',
      'a.jpg': 'jpeg',
      'a.gif': 'gif',
      'a.webp': 'webp',
      'lossless.webp': 'webp',
      'alpha.webp': 'webp',
    }))
      expect(await json(name)).toBe(`{ "img" : { "width": 200, "height": 100, "type": "${type}" } }\r\n`);
    expect(await json('text.png')).toBe('{}\r\n');
  });

  test('resize keeps the proportions, and small images as they are', async () => {
    for (const [name, type] of Object.entries({ 'a.png': 'png', 'a.jpg': 'jpeg', 'a.gif': 'gif', 'a.webp': 'webp' })) {
      expect(await imageAt(`/resize/${name}`)).toBe(`${type} 50x25`);
      expect(bodyBytes(await ask(`/large/${name}`))).toEqual(Buffer.from(front.read(name), 'latin1'));
    }
    expect(headerOf(await ask('/resize/a.png'), 'ETag')).toMatch(/^W\//);
    expect(headerOf(await ask('/large/a.png'), 'ETag')).toMatch(/^"/);
    expect(headerOf(await ask('/resize/a.png'), 'Accept-Ranges')).toBe(undefined);
    // more than a twentieth of the file is metadata
    const stripped = await ask('/large/exif.jpg');
    expect((await sharp(bodyBytes(stripped)).metadata()).exif).toBe(undefined);
  });

  test('crop fills the limits and cuts the centre', async () => {
    expect(await imageAt('/crop/a.png')).toBe('png 50x60');
    expect(
      await colours('/crop/a.png', [
        [0.1, 0.5],
        [0.9, 0.5],
        [0.5, 0.95],
      ]),
    ).toBe('rgb');
    expect(await imageAt('/of/a.png?w=-&h=-')).toBe('png 200x100');
  });

  test('rotates counter-clockwise, after the reduction', async () => {
    expect(await imageAt('/turn/a.jpg')).toBe('jpeg 100x200');
    expect(
      await colours('/turn/a.jpg', [
        [0.4, 0.25],
        [0.4, 0.75],
        [0.95, 0.5],
      ]),
    ).toBe('grb');
    expect(await imageAt('/both/a.png')).toBe('png 25x50');
    expect(
      await colours('/both/a.png', [
        [0.6, 0.25],
        [0.6, 0.75],
        [0.08, 0.5],
      ]),
    ).toBe('rgb');
    expect(await imageAt('/turned-crop/a.gif')).toBe('gif 30x40');
    expect(
      await colours('/turned-crop/a.png', [
        [0.1, 0.5],
        [0.9, 0.5],
        [0.5, 0.05],
      ]),
    ).toBe('grb');
  });

  // libgd finds the transparent colour of the reduced palette only by chance
  test.skipIf(!ours)('transparency of palettes is kept unless it is switched off, an alpha channel always', async () => {
    const alphaAt = async (uri: string) =>
      (
        await sharp(bodyBytes(await ask(uri)))
          .ensureAlpha()
          .raw()
          .toBuffer()
      )[3];
    expect(await alphaAt('/of/hole.gif?w=20&h=20')).toBe(0);
    expect(await alphaAt('/opaque/hole.gif')).toBe(255);
    expect(Math.abs((await alphaAt('/opaque/alpha.png')) - 128)).toBeLessThan(3);
  });

  test('applies quality, interlacing and sharpening', async () => {
    const coarse = bodyBytes(await ask('/of/a.jpg?w=150&h=-&q=10'));
    const fine = bodyBytes(await ask('/of/a.jpg?w=150&h=-&q=95'));
    expect(coarse.length).toBeLessThan(fine.length);
    expect((await sharp(bodyBytes(await ask('/progressive/a.jpg'))).metadata()).isProgressive).toBe(true);
    expect((await sharp(fine).metadata()).isProgressive).toBe(false);
    expect(await imageAt('/progressive/a.webp')).toBe('webp 50x25');
  });

  test('accepts values from variables', async () => {
    expect(await imageAt('/of/a.jpg?w=20&h=20&q=50')).toBe('jpeg 20x10');
    expect(await imageAt('/of/a.jpg?w=20&h=20&q=50&angle=90')).toBe('jpeg 10x20');
    expect(await imageAt('/of/a.png?w=20&h=20&angle=45')).toBe('png 20x10');
    for (const args of ['w=0&h=20&q=50', 'w=20', 'w=20&h=-5&q=50', 'w=20&h=20&q=0', 'w=20&h=20&q=x'])
      expect(await imageAt(`/of/a.jpg?${args}`)).toBe('415');
    // a PNG has no quality
    expect(await imageAt('/of/a.png?w=20&h=20&q=0')).toBe('png 20x10');
  });

  test('images that cannot be decoded, or are too large, are refused; error_page applies', async () => {
    for (const name of ['text.png', 'broken.png', 'short.png']) {
      expect(statusOf(await ask(`/resize/${name}`))).toBe(415);
      expect(bodyBytes(await ask(`/page/${name}`)).toString()).toBe('no image');
    }
    // the page of another error is not an image either, and was tried already
    for (const uri of ['/resize/none.png', '/page/none.png']) expect(statusOf(await ask(uri))).toBe(415);
    expect(await imageAt('/page/a.png')).toBe('png 50x25');
    expect(statusOf(await ask('/small/a.png'))).toBe(415);
    expect(front.read('error.log')).toMatch(/image filter: too big response: \d+/);
    if (ours) expect(statusOf(await ask('/resize/bomb.png'))).toBe(415);
  });

  test('changes a proxied image of unknown length', async () => {
    expect(await imageAt('/proxied/a.png')).toBe('png 50x25');
    expect(headerOf(await ask('/proxied/a.png'), 'ETag')).toBe('W/"tag"');
    expect(statusOf(await ask('/proxied/text.png'))).toBe(415);
    expect(bodyBytes(await ask('/limited/a.png')).toString()).toBe('too large');
    expect(await ask('/proxied/mixed')).toBe('');
  });

  test('handles many images at once on one connection, and HEAD', async () => {
    const uris = Array.from({ length: 12 }, (_, n) => `/of/a.${n % 2 ? 'png' : 'jpg'}?w=${10 + n}&h=-&q=50`);
    const answer = await raw(
      port,
      uris.map((uri, n) => `GET ${uri} HTTP/1.1\r\nHost: x\r\n${n === 11 ? 'Connection: close\r\n' : ''}\r\n`).join(''),
    );
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(12);
    const head = await ask('/resize/a.png', 'HEAD');
    expect([statusOf(head), headerOf(head, 'Content-Type'), bodyBytes(head).length]).toEqual([200, 'image/png', 0]);
    expect(headerOf(head, 'Content-Length')).toBe(headerOf(await ask('/resize/a.png'), 'Content-Length'));
  });

  test.each(['/cached/a.png', '/cached-size/a.png'])('HEAD of %s describes the result, whether it is cached or not', async (uri) => {
    const first = await ask(uri, 'HEAD');
    const whole = await ask(uri);
    const again = await ask(uri, 'HEAD');
    for (const head of [first, again]) {
      expect([statusOf(head), bodyBytes(head).length]).toEqual([200, 0]);
      for (const name of ['Content-Type', 'Content-Length']) expect(headerOf(head, name)).toBe(headerOf(whole, name));
    }
  });
});

test.each([
  ['image_filter resize 10', 'invalid parameter "resize"'],
  ['image_filter crop 0 10', 'invalid parameter "0"'],
  ['image_filter rotate 45', 'invalid parameter "45"'],
  ['image_filter blur', 'invalid parameter "blur"'],
  ['image_filter_jpeg_quality 0', 'invalid value "0"'],
  ['image_filter_sharpen -', 'invalid value "-"'],
])('%s is refused', async (text, why) => {
  const other = new Front();
  other.config(`server { listen 127.0.0.1:${await freePort()}; location / { ${text}; } }`);
  await expect(other.start()).rejects.toThrow(why);
  await other.dispose();
});
