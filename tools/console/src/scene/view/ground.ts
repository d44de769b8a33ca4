// The ground: lines a metre and ten metres apart, which fade with the distance, and the two axes.
import { Mesh, PlaneGeometry, ShaderMaterial, Vector3 } from 'three'
import type { Palette } from './palette'

const vertex = `
varying vec3 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xyz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`

const fragment = `
uniform vec3 fine, coarse, xAxis, zAxis, eye;
uniform float reach;
varying vec3 place;
float line(vec2 at, float width) {
  vec2 grid = abs(fract(at - 0.5) - 0.5) / fwidth(at);
  return 1.0 - min(min(grid.x, grid.y) / width, 1.0);
}
void main() {
  float away = distance(place.xz, eye.xz);
  float fade = 1.0 - smoothstep(reach * 0.25, reach, away);
  float small = line(place.xz, 1.0) * (1.0 - smoothstep(reach * 0.05, reach * 0.3, away)) * 0.55;
  float large = line(place.xz / 10.0, 1.2);
  vec2 axis = 1.0 - min(abs(place.zx) / (fwidth(place.zx) * 1.6), 1.0);
  vec3 color = mix(fine, coarse, large);
  color = mix(color, xAxis, axis.x);
  color = mix(color, zAxis, axis.y);
  float alpha = max(max(small, large), max(axis.x, axis.y)) * fade;
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(color, alpha);
  #include <colorspace_fragment>
}`

export class Ground {
  readonly mesh: Mesh
  private material: ShaderMaterial

  constructor() {
    this.material = new ShaderMaterial({
      vertexShader: vertex,
      fragmentShader: fragment,
      transparent: true,
      depthWrite: false,
      uniforms: {
        fine: { value: new Vector3() },
        coarse: { value: new Vector3() },
        xAxis: { value: new Vector3(0.72, 0.2, 0.22) },
        zAxis: { value: new Vector3(0.15, 0.35, 0.75) },
        eye: { value: new Vector3() },
        reach: { value: 100 },
      },
    })
    this.mesh = new Mesh(new PlaneGeometry(1, 1).rotateX(-Math.PI / 2), this.material)
    this.mesh.renderOrder = -1
    this.mesh.frustumCulled = false
  }

  paint(palette: Palette) {
    const { fine, coarse } = this.material.uniforms
    fine!.value.set(palette.fine.r, palette.fine.g, palette.fine.b)
    coarse!.value.set(palette.coarse.r, palette.coarse.g, palette.coarse.b)
  }

  // Lies around where one looks; reaches further the higher one is.
  follow(eye: Vector3, distance: number) {
    const reach = Math.max(60, distance * 6)
    this.material.uniforms['eye']!.value.copy(eye)
    this.material.uniforms['reach']!.value = reach
    this.mesh.position.set(eye.x, 0, eye.z)
    this.mesh.scale.setScalar(reach * 2)
  }
}
