// unity_stand_ins.cs - as much of UnityEngine as tools/examples/unity uses, with its names, and a program that runs the example:
// each line that it reads is "KEY X Y Z" to be moved, each line that it writes is what is shown. See unity_test.py.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Threading;

namespace UnityEngine
{
    public class Object
    {
        public string name = "";
        public static implicit operator bool(Object some) => some != null;
        public static void Destroy(Object some) => GameObject.All.Remove((GameObject)some);
        public static GameObject Instantiate(GameObject of) => new GameObject();
    }

    public class MonoBehaviour : Object { public Transform transform = new Transform(); }
    public class Transform
    {
        public Vector3 localPosition, localScale;
        public Quaternion localRotation;
        public void SetParent(Transform parent, bool staysInWorld) { }
    }
    public class GameObject : Object
    {
        public static readonly List<GameObject> All = new List<GameObject>();
        public Transform transform = new Transform();
        public GameObject() { All.Add(this); }
        public static GameObject CreatePrimitive(PrimitiveType type) => new GameObject();
    }
    public enum PrimitiveType { Cube }
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
    }
    public struct Quaternion
    {
        public float x, y, z, w;
        public Quaternion(float x, float y, float z, float w) { this.x = x; this.y = y; this.z = z; this.w = w; }
    }
    public static class Debug { public static void LogWarning(object text) => Console.Error.WriteLine(text); }
    public static class JsonUtility
    {
        public static T FromJson<T>(string text) =>
            (T)new DataContractJsonSerializer(typeof(T)).ReadObject(new MemoryStream(Encoding.UTF8.GetBytes(text)));
    }
    public struct Matrix4x4
    {
        float[] at;
        public float this[int row, int column]
        {
            get => at[row * 4 + column];
            set => (at = at ?? new float[16])[row * 4 + column] = value;
        }
        float Length(int column) =>
            (float)Math.Sqrt(this[0, column] * this[0, column] + this[1, column] * this[1, column] + this[2, column] * this[2, column]);
        public Vector3 lossyScale => new Vector3(Length(0), Length(1), Length(2));
        public Quaternion rotation // for turns by less than half a turn
        {
            get
            {
                var scale = lossyScale;
                float w = (float)Math.Sqrt(1 + this[0, 0] / scale.x + this[1, 1] / scale.y + this[2, 2] / scale.z) / 2;
                return new Quaternion((this[2, 1] / scale.y - this[1, 2] / scale.z) / (4 * w),
                    (this[0, 2] / scale.z - this[2, 0] / scale.x) / (4 * w), (this[1, 0] / scale.x - this[0, 1] / scale.y) / (4 * w), w);
            }
        }
    }
}

static class Program
{
    static void Call(object on, string name) =>
        on.GetType().GetMethod(name, BindingFlags.Instance | BindingFlags.NonPublic).Invoke(on, null);

    static string Shown(UnityEngine.GameObject body)
    {
        var at = body.transform.localPosition;
        var turn = body.transform.localRotation;
        var scale = body.transform.localScale;
        var numbers = new[] { at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w, scale.x, scale.y, scale.z };
        return $"\"{body.name}\":[{string.Join(",", numbers.Select(n => n.ToString("0.####", CultureInfo.InvariantCulture)))}]";
    }

    static void Main(string[] arguments)
    {
        var follower = new SceneFollower { server = arguments[0], scene = arguments[1] };
        new Thread(() =>
        {
            for (string line; (line = Console.ReadLine()) != null;)
            {
                var words = line.Split(' ');
                var to = words.Skip(1).Select(word => float.Parse(word, CultureInfo.InvariantCulture)).ToArray();
                follower.Move(words[0], new UnityEngine.Vector3(to[0], to[1], to[2]), new UnityEngine.Quaternion(0, 0, 0, 1));
            }
            Environment.Exit(0);
        }) { IsBackground = true }.Start();
        Call(follower, "OnEnable");
        for (string before = null; ; Thread.Sleep(10))
        {
            Call(follower, "Update");
            var now = "{" + string.Join(",", UnityEngine.GameObject.All.OrderBy(body => body.name).Select(Shown)) + "}";
            if (now != before) Console.WriteLine(now);
            before = now;
        }
    }
}
